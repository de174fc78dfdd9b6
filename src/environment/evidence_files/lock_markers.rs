//! The markers under which packages of `poetry.lock` and `uv.lock` count.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Poetry's marker of a package: one, or one for each group.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum PoetryMarkers {
    One(String),
    Groups(BTreeMap<String, String>),
}

impl PoetryMarkers {
    /// The marker of what an analysis is run with: the main group's, else that of any.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::One(text) => Some(text.clone()),
            Self::Groups(groups) => match groups.get("main") {
                Some(main) => Some(main.clone()),
                None => any_of(groups.values().map(String::as_str)),
            },
        }
    }
}

/// Markers of which one has to hold; `None` of none.
pub fn any_of<'a>(markers: impl Iterator<Item = &'a str>) -> Option<String> {
    joined(markers, " or ")
}

/// Markers that all have to hold.
pub fn all_of<'a>(markers: impl Iterator<Item = &'a str>) -> Option<String> {
    joined(markers, " and ")
}

fn joined<'a>(markers: impl Iterator<Item = &'a str>, word: &str) -> Option<String> {
    let mut all: Vec<&str> = markers.collect();
    all.sort_unstable();
    all.dedup();
    match all.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        _ => {
            let each: Vec<String> = all.iter().map(|one| format!("({one})")).collect();
            Some(each.join(word))
        }
    }
}

/// Bounds on Python such as `>=3.7,<3.11 || >=3.12` as a marker; `None` of such as cannot be one.
pub fn of_bounds(bounds: &str) -> Option<String> {
    let alternatives: Option<Vec<String>> = bounds
        .split("||")
        .map(|alternative| {
            let parts: Option<Vec<String>> = alternative.split(',').map(of_bound).collect();
            all_of(parts?.iter().map(String::as_str))
        })
        .collect();
    any_of(alternatives?.iter().map(String::as_str))
}

fn of_bound(bound: &str) -> Option<String> {
    let bound = bound.trim();
    let end = bound.find(|letter: char| letter.is_ascii_digit())?;
    let (sign, version) = bound.split_at(end);
    let sign = sign.trim();
    let is_series = matches!(sign, "==" | "!=");
    let version = match is_series {
        true => version,
        false => version.trim_end_matches(".*"),
    };
    let is_plain = version
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".*+".contains(&byte));
    let is_sign = matches!(sign, ">=" | "<=" | ">" | "<" | "==" | "!=" | "~=");
    (is_sign && is_plain).then(|| format!("python_full_version {sign} '{version}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_become_markers() {
        assert_eq!(
            of_bounds(">=3.7,<3.11").as_deref(),
            Some("(python_full_version < '3.11') and (python_full_version >= '3.7')")
        );
        assert_eq!(
            of_bounds(">=3.6.*").as_deref(),
            Some("python_full_version >= '3.6'")
        );
        assert!(of_bounds("==2.7.* || >=3.5").unwrap().contains(" or "));
        for none in ["*", "^3.8", "", ">=3' or 'x' == 'x", "~3.7"] {
            assert_eq!(of_bounds(none), None, "{none}");
        }
    }
}
