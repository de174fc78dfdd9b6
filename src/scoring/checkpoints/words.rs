//! The sentences of the evidence.

use crate::domain::excerpt;
use crate::domain::format;

/// Passed or not, where the facts decide it, and why.
pub(super) type CheckResult = (Option<bool>, String);

/// A path without a leading `./`.
pub(super) fn clean(path: &str) -> &str {
    path.trim_start_matches("./")
}

/// Up to four names in backticks, and how many more there are.
pub(super) fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(4)
        .map(|name| format!("`{}`", excerpt::start(name, 120)))
        .collect();
    if names.len() > shown.len() {
        shown.push(format!("{} more", names.len() - shown.len()));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// The names, and the verb that agrees with their number.
pub(super) fn verb(names: &[String], one: &str, many: &str) -> String {
    format!("{} {}", listed(names), format::plural(names.len(), one, many))
}
