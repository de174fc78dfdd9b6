//! The day of a deposit, from what archives and authors write beside the material.

use jiff::civil::Date;
use serde_json::Value;

use super::super::evidence::{Evidence, EvidenceKind};
use crate::domain::lazy_regex::LazyRegex;

static RELEASED: LazyRegex =
    LazyRegex::new(r#"(?m)^date-released:[ \t]*['"]?([0-9]{4}-[0-9]{2}-[0-9]{2})\b"#);

/// The names under which archives say when something was published: those of Zenodo, CodeMeta and RO-Crate,
/// and Dataverse.
const KEYS: [&str; 4] = [
    "publication_date",
    "datePublished",
    "publicationDate",
    "releaseTime",
];
/// Levels of a document that are looked into.
const DEEPEST: usize = 6;

/// Whether a file with this name, in lower case, describes a deposit.
pub fn is_description(lower: &str) -> bool {
    matches!(
        lower,
        "citation.cff"
            | "zenodo.json"
            | "codemeta.json"
            | "ro-crate-metadata.json"
            | "dataset.json"
            | "dataverse.json"
    )
}

/// Reads the day of publication; nothing where the file tells none.
///
/// # Errors
/// A file of JSON that is none.
pub fn read(path: &str, text: &str) -> Result<Option<Evidence>, serde_json::Error> {
    let day = match path.to_ascii_lowercase().ends_with(".cff") {
        true => RELEASED
            .captures(text)
            .and_then(|released| released[1].parse().ok()),
        false => newest(&serde_json::from_str(text)?, DEEPEST),
    };
    Ok(day.map(|day| {
        let says = format!("The material was published on {day}; the analysis may be older.");
        Evidence::new(EvidenceKind::Deposit, path, says).dated(Some(day))
    }))
}

/// The newest day of publication in a document: that of its last version.
fn newest(value: &Value, levels: usize) -> Option<Date> {
    let levels = levels.checked_sub(1)?;
    match value {
        Value::Array(items) => items.iter().filter_map(|item| newest(item, levels)).max(),
        Value::Object(fields) => fields
            .iter()
            .filter_map(|(key, value)| match value.as_str() {
                Some(text) => KEYS.contains(&key.as_str()).then(|| day(text)).flatten(),
                None => newest(value, levels),
            })
            .max(),
        _ => None,
    }
}

/// The day of a date, or of an instant as it is written.
fn day(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_archive_has_its_word_for_the_day() {
        for (path, text, expected) in [
            (
                "CITATION.cff",
                "cff-version: 1.2.0\ntitle: x\ndate-released: '2019-03-02'\n",
                Some("2019-03-02"),
            ),
            (
                "CITATION.cff",
                "cff-version: 1.2.0\n# date-released: 2019-03-02\n",
                None,
            ),
            (
                "zenodo.json",
                r#"{"title": "x", "publication_date": "2018-07-01"}"#,
                Some("2018-07-01"),
            ),
            (
                "codemeta.json",
                r#"{"datePublished": "2020-01-31", "dateModified": "2024-01-01"}"#,
                Some("2020-01-31"),
            ),
            (
                "ro-crate-metadata.json",
                r#"{"@graph": [{"@id": "./", "datePublished": "2021-05-06T10:00:00Z"}, {"@id": "a"}]}"#,
                Some("2021-05-06"),
            ),
            (
                "dataset.json",
                r#"{"publicationDate": "2016-01-01", "datasetVersion": {"releaseTime": "2017-02-03T04:05:06Z"}}"#,
                Some("2017-02-03"),
            ),
            ("dataset.json", r#"{"publicationDate": "soon", "n": 3}"#, None),
        ] {
            let found = read(path, text).unwrap().and_then(|evidence| evidence.date);
            assert_eq!(found.map(|day| day.to_string()).as_deref(), expected, "{path}");
        }
        assert!(read("zenodo.json", "{").is_err());
        let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
        assert_eq!(read("zenodo.json", &deep).unwrap(), None);
    }
}
