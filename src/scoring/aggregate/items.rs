//! The items of a grading, wherever in it they stand.

use super::grading::{Item, distinct, mark};
use super::json::Node;

/// Prefixes that judges put before the schema's own paths.
pub const ROOTS: [&str; 2] = ["original_study", "replication_study"];

/// The items of a grading, and the places that should be items, with what is wrong.
#[derive(Default)]
pub(super) struct Found {
    pub(super) items: Vec<Item>,
    pub(super) unusable: Vec<(Vec<String>, String)>,
}

/// Every object with a `score`, however deep.
pub(super) fn flatten(node: &Node<'_>, path: &mut Vec<String>, found: &mut Found) {
    let Some(members) = node.members() else {
        let what = "is not an object with a `score`".to_owned();
        found.unusable.push((path.clone(), what));
        return;
    };
    if !path.is_empty() && members.iter().any(|(key, _)| key == "score") {
        match mark(node.get("score")) {
            Ok(mark) => found.items.push(Item {
                path: path.clone(),
                mark,
            }),
            Err(what) => found.unusable.push((path.clone(), what)),
        }
        return;
    }
    for (key, value) in distinct(members) {
        path.push(key.to_owned());
        flatten(value, path, found);
        path.pop();
    }
}

/// A path without root and without list positions, and whether it had a root.
///
/// File names below `codebase.files` hold dots and digits of their own and stay.
pub fn leaf(path: &[String]) -> (String, bool) {
    let joined = path.join(".");
    let (rest, had_root) = ROOTS
        .iter()
        .find_map(|root| joined.strip_prefix(root)?.strip_prefix('.'))
        .map_or((joined.as_str(), false), |rest| (rest, true));
    if rest.starts_with("codebase.files.") {
        return (rest.to_owned(), had_root);
    }
    let mut parts = Vec::new();
    for part in rest.split('.') {
        let name = part.split('[').next().unwrap_or_default();
        let is_position = name.bytes().all(|byte| byte.is_ascii_digit());
        if !is_position {
            parts.push(name);
        }
    }
    (parts.join("."), had_root)
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
    }
}
