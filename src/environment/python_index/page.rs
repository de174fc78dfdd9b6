//! A package's page of an index, in the JSON form of the simple index.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::domain::excerpt;

/// The page of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexPage {
    pub files: Vec<IndexFile>,
}

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    pub name: String,
    /// As the page has it, which may be relative to the page.
    pub url: String,
    /// The SHA-256 in hexadecimal digits.
    pub sha256: Option<String>,
    pub requires_python: Option<String>,
    /// `None` where the index gives no dates.
    pub uploaded: Option<Timestamp>,
    /// The reason for which it was withdrawn, perhaps empty.
    pub yanked: Option<String>,
    pub size: Option<u64>,
    /// Whether its metadata can be had by itself.
    pub has_metadata: bool,
}

/// A page that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PageFault {
    #[error("its answer is no page of an index in JSON: {0}")]
    Json(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct WrittenPage {
    files: Vec<WrittenFile>,
}

#[derive(Deserialize)]
struct WrittenFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: std::collections::BTreeMap<String, String>,
    #[serde(rename = "requires-python")]
    requires_python: Option<String>,
    #[serde(rename = "upload-time")]
    upload_time: Option<String>,
    #[serde(default)]
    yanked: Value,
    size: Option<u64>,
    #[serde(rename = "core-metadata", default)]
    core_metadata: Value,
    #[serde(rename = "data-dist-info-metadata", default)]
    dist_info_metadata: Value,
}

/// Reads a page.
///
/// # Errors
/// An answer that is no such page.
pub fn parse(body: &[u8]) -> Result<IndexPage, PageFault> {
    let page: WrittenPage = serde_json::from_slice(body)?;
    let is_given = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    let file = |file: WrittenFile| IndexFile {
        has_metadata: is_given(&file.core_metadata) || is_given(&file.dist_info_metadata),
        name: file.filename,
        url: file.url,
        sha256: file
            .hashes
            .get("sha256")
            .filter(|digest| is_digest(digest))
            .cloned(),
        requires_python: file.requires_python.filter(|bounds| !bounds.trim().is_empty()),
        uploaded: file.upload_time.and_then(|time| time.parse().ok()),
        yanked: match file.yanked {
            Value::Bool(true) => Some(String::new()),
            Value::String(reason) => Some(excerpt::start(&reason, 200).to_owned()),
            _ => None,
        },
        size: file.size,
    };
    Ok(IndexPage {
        files: page.files.into_iter().map(file).collect(),
    })
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_files() {
        let body = br#"{"meta": {"api-version": "1.1"}, "name": "x", "files": [
          {"filename": "x-1.0.tar.gz", "url": "../x", "hashes": {"sha256": "short"}, "yanked": "broken", "upload-time": "2019-01-02T03:04:05.678Z"},
          {"filename": "x-2.0.tar.gz", "url": "../y", "hashes": {}, "yanked": false, "core-metadata": {"sha256": "aa"}}]}"#;
        let page = parse(body).unwrap();
        assert_eq!(page.files[0].yanked.as_deref(), Some("broken"));
        assert_eq!(page.files[0].sha256, None);
        assert!(page.files[0].uploaded.is_some() && page.files[1].uploaded.is_none());
        assert!(page.files[1].has_metadata && page.files[1].yanked.is_none());
        assert!(parse(b"<html>").is_err());
    }
}
