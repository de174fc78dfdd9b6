//! Published base images, and what stands in for them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::published::CodeLanguage;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    base: Vec<KnownBase>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownBase {
    pattern: String,
    languages: Vec<CodeLanguage>,
}

/// A table with a mistake knows no image; a test reads it.
static TABLE: LazyLock<Result<Table, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("base_images.toml")));

/// The languages of a published image; none of one that is not in the table.
pub fn languages(image: &str) -> Vec<CodeLanguage> {
    let bases = TABLE.as_ref().map_or(&[][..], |table| table.base.as_slice());
    let found = bases.iter().find(|base| fits(&base.pattern, image));
    found.map_or(Vec::new(), |base| base.languages.clone())
}

/// The images that a person has stand in for published ones: patterns, in which `*` is
/// anything, to names.
pub type BaseImages = BTreeMap<String, String>;

/// A file of base images that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaseImagesError {
    #[error("it is no table of texts, such as `\"registry.example.org/py-r:*\" = \"python:3.11-slim\"`: {0}")]
    Read(#[from] toml::de::Error),
    #[error("`{0}` stands in for nothing: write the name of an image behind it")]
    Empty(String),
}

/// Reads the text of a file of base images.
///
/// # Errors
/// A text that is no table of names.
pub fn parse(text: &str) -> Result<BaseImages, BaseImagesError> {
    let images: BaseImages = toml::from_str(text)?;
    match images.iter().find(|(_, image)| image.trim().is_empty()) {
        Some((pattern, _)) => Err(BaseImagesError::Empty(pattern.clone())),
        None => Ok(images),
    }
}

/// The image that stands in for a published one: that of the longest pattern that fits.
pub fn stand_in<'a>(images: &'a BaseImages, published: &str) -> Option<&'a str> {
    let fitting = images.iter().filter(|(pattern, _)| fits(pattern, published));
    let found = fitting.max_by_key(|(pattern, _)| pattern.len());
    found.map(|(_, image)| image.trim())
}

/// Whether a name fits a pattern, in which `*` is anything.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_images_have_languages_and_a_persons_table_stands_above() {
        use CodeLanguage::{Python, R};
        for (image, expected) in [
            (
                "registry.codeocean.com/codeocean/py-r:python3.8.12-R4.1.0-ubuntu20.04",
                vec![Python, R],
            ),
            (
                "$REGISTRY_HOST/codeocean/r-studio:1.4.1106-r4.0.5-ubuntu18.04",
                vec![R],
            ),
            (
                "registry.codeocean.com/codeocean/miniconda3:4.7.10-cuda10.1-cudnn7-ubuntu18.04",
                vec![Python],
            ),
            (
                "$REGISTRY_HOST/codeocean/cuda-miniconda-jupyterlab:latest",
                vec![Python],
            ),
            ("rocker/r-ver:4.1", vec![R]),
            ("python:3.8", vec![Python]),
            (
                "registry.codeocean.com/codeocean/matlab:2019a-ubuntu18.04",
                vec![],
            ),
        ] {
            assert_eq!(languages(image), expected, "{image}");
        }
        let images = parse(
            "\"*codeocean/py-r:*\" = \"python:3.12-slim\"\n\"python:3.8\" = \"python:3.11-slim\"\n\"*\" = \"debian:bookworm-slim\"",
        );
        let images = images.unwrap();
        assert_eq!(stand_in(&images, "x/codeocean/py-r:1"), Some("python:3.12-slim"));
        assert_eq!(stand_in(&images, "python:3.8"), Some("python:3.11-slim"));
        assert_eq!(stand_in(&images, "python:3.8.1"), Some("debian:bookworm-slim"));
        assert!(
            parse("[x]\na = 1")
                .unwrap_err()
                .to_string()
                .contains("no table of texts")
        );
        assert!(
            parse("\"a:*\" = \" \"")
                .unwrap_err()
                .to_string()
                .contains("`a:*`")
        );
    }

    #[test]
    fn a_star_is_anything_and_the_ends_hold() {
        assert!(fits("a*c", "abc") && fits("*", "") && fits("a*", "a") && fits("*b*", "abc"));
        assert!(!fits("a", "ab") && !fits("*a", "ab") && !fits("a*a", "a") && !fits("", "a"));
    }
}
