//! The items of a grading, wherever in it they stand.

use super::grading::{Item, MarkError, number};
use crate::scoring::released::json::{Node, distinct};

/// Prefixes that judges put before the schema's own paths.
pub const ROOTS: [&str; 2] = ["original_study", "replication_study"];

/// The items of a grading, and the places that should be items, with what is wrong.
#[derive(Default)]
pub(super) struct GradedItems {
    pub(super) items: Vec<Item>,
    pub(super) unusable: Vec<UnusableItem>,
}

/// A place that should be an item.
pub(super) struct UnusableItem {
    pub(super) path: Vec<String>,
    /// What is wrong, as a predicate.
    pub(super) what: MarkError,
}

/// Every object with a `score`, however deep.
pub(super) fn flatten(node: &Node<'_>, path: &mut Vec<String>, found: &mut GradedItems) {
    let Some(members) = node.members() else {
        found.unusable.push(UnusableItem {
            path: path.clone(),
            what: MarkError::NoItem,
        });
        return;
    };
    if !path.is_empty() && members.iter().any(|(key, _)| key == "score") {
        match number(node.get("score")) {
            Ok(mark) => found.items.push(Item {
                path: path.clone(),
                mark,
            }),
            Err(what) => found.unusable.push(UnusableItem {
                path: path.clone(),
                what,
            }),
        }
        return;
    }
    for (key, value) in distinct(members) {
        path.push(key.to_owned());
        flatten(value, path, found);
        path.pop();
    }
}

/// The path of an item in its stage's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPath {
    /// The path without root and without list positions.
    pub leaf: String,
    /// Its list positions; empty where it has none.
    pub row: String,
    pub had_root: bool,
}

/// The place of a path.
///
/// File names below `codebase.files` hold dots and digits of their own and stay.
pub fn place(path: &[String]) -> ItemPath {
    let joined = path.join(".");
    let (rest, had_root) = ROOTS
        .iter()
        .find_map(|root| joined.strip_prefix(root)?.strip_prefix('.'))
        .map_or((joined.as_str(), false), |rest| (rest, true));
    if rest.starts_with("codebase.files.") {
        return ItemPath {
            leaf: rest.to_owned(),
            row: String::new(),
            had_root,
        };
    }
    let (mut parts, mut rows) = (Vec::new(), Vec::new());
    for part in rest.split('.') {
        let (name, position) = part.split_once('[').unwrap_or((part, ""));
        rows.extend(Some(position.trim_end_matches(']')).filter(|row| !row.is_empty()));
        let is_position = name.bytes().all(|byte| byte.is_ascii_digit());
        if !is_position {
            parts.push(name);
        } else if !name.is_empty() {
            rows.push(name);
        }
    }
    ItemPath {
        leaf: parts.join("."),
        row: rows.join("]["),
        had_root,
    }
}

/// A path without root and without list positions, and whether it had a root.
pub fn leaf(path: &[String]) -> (String, bool) {
    let ItemPath { leaf, had_root, .. } = place(path);
    (leaf, had_root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_roots_and_positions_and_keep_file_names() {
        let leaf = |key: &str| leaf(&[key.to_owned()]);
        assert_eq!(
            leaf("original_study.results.numerical_results[3].p_value"),
            ("results.numerical_results.p_value".into(), true)
        );
        assert_eq!(
            leaf("results.numerical_results.0.value").0,
            "results.numerical_results.value"
        );
        assert_eq!(
            leaf("replication_study.codebase.files.a.1.py"),
            ("codebase.files.a.1.py".into(), true)
        );
        assert_eq!(leaf("claim.statement"), ("claim.statement".into(), false));
        let row = |key: &str| place(&[key.to_owned()]).row;
        assert_eq!(["a[3].b", "a.3.b", "a.[3].b"].map(row), ["3", "3", "3"]);
        assert_eq!((row("a[1].b[2]").as_str(), row("a.b").as_str()), ("1][2", ""));
    }
}
