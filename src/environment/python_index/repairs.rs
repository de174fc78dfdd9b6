//! Repairs of metadata that was valid once.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::lazy_regex::LazyRegex;

static PARENTHESES: LazyRegex = LazyRegex::new(r"^([^(;]+)\(([^)]*)\)(.*)$");
static STAR: LazyRegex = LazyRegex::new(r"([<>]=?|~=)\s*([0-9][0-9.]*)\.\*");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepairTable {
    requirement: Vec<RequirementRepair>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequirementRepair {
    package: String,
    written: String,
    read: String,
}

/// A table with a mistake repairs nothing; a test reads it.
static TABLE: LazyLock<Result<RepairTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("repairs.toml")));

/// A requirement as strict readers take it: without brackets around its bounds, and by the table.
pub fn requirement(package: &str, written: &str) -> String {
    let bare = match PARENTHESES.captures(written) {
        Some(found) => format!("{}{}{}", found[1].trim(), found[2].trim(), &found[3]),
        None => written.to_owned(),
    };
    let (head, marker) = bare
        .split_once(';')
        .map_or((bare.as_str(), None), |(head, marker)| (head, Some(marker)));
    let squeezed: String = head.chars().filter(|letter| !letter.is_whitespace()).collect();
    let rows = TABLE
        .as_ref()
        .map_or(&[][..], |table| table.requirement.as_slice());
    let repaired = rows
        .iter()
        .find(|row| row.package == package && row.written == squeezed);
    let head = repaired.map_or(head.to_owned(), |row| row.read.clone());
    let head = specifiers(&head);
    match marker {
        Some(marker) => format!("{head};{marker}"),
        None => head,
    }
}

/// Bounds as strict readers take them: `>=3.5.*` is `>=3.5`.
pub fn specifiers(written: &str) -> String {
    STAR.replace_all(written, "$1$2").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_forms_are_read() {
        assert!(TABLE.is_ok());
        assert_eq!(requirement("pandas", "pytz (>=2011k)"), "pytz>=2011.11");
        assert_eq!(
            requirement("pandas", "pytz>=2011k ; extra == 'x'"),
            "pytz>=2011.11; extra == 'x'"
        );
        assert_eq!(requirement("pandas", "numpy (>=1.12.0)"), "numpy>=1.12.0");
        assert_eq!(
            requirement("x", "y (>=1) ; python_version < '3'"),
            "y>=1 ; python_version < '3'"
        );
        assert_eq!(specifiers(">=2.7, !=3.0.*, >=3.5.*"), ">=2.7, !=3.0.*, >=3.5");
    }
}
