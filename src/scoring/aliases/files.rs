//! Prediction files and recorded aliases.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::levels::CuratedAlias;
use crate::scoring::truth::is_truthy;

/// What one run found for one study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    pub case: i64,
    pub model: String,
    pub urls: Vec<PredictedUrl>,
}

/// One address, with what the agent said of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedUrl {
    pub url: String,
    pub kind: String,
    pub name: String,
    pub why: String,
}

/// Records read from a file, and a sentence for each that could not be.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    pub records: Vec<T>,
    pub problems: Vec<String>,
}

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            problems: Vec::new(),
        }
    }
}

/// A file that holds nothing to score with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    #[error("The gold set is not JSON: {0}. Give the benchmark's `gold_set.json`.")]
    NotJson(String),
    #[error("The gold set is not a list of cases. Give the benchmark's `gold_set.json`.")]
    NotAList,
    #[error("The gold set has no case that can be scored{0}. Give the benchmark's `gold_set.json`.")]
    NoCase(String),
    #[error(
        "The aliases cannot be read: {0}. Give a JSON list of `{{\"case\": 1, \"resource\": \"id\", \"address\": \"https://...\"}}`."
    )]
    Aliases(String),
}

/// Reads curated aliases: a JSON list of `{case, resource, address}`.
///
/// # Errors
/// A sentence that says what is wrong with the file.
pub fn read_aliases(bytes: &[u8]) -> Result<Vec<CuratedAlias>, BadFile> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| BadFile::Aliases(error.to_string()))
}

/// Reads predictions: JSON values one after another, pretty-printed or not, in
/// lists or bare, separated by blanks or commas, with a byte-order mark or NUL
/// bytes. After a value that does not parse it goes on at the next line that
/// begins a record, and says so.
pub fn read_predictions(bytes: &[u8]) -> Read<Prediction> {
    let text = String::from_utf8_lossy(bytes).replace('\0', "");
    let text = text.trim_start_matches('\u{feff}');
    let mut read = Read::default();
    let (mut at, mut seen) = (0, 0);
    loop {
        let rest = &text[at..];
        let start = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == ',')
                .len();
        at += start;
        if at == text.len() {
            return read;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                at += values.byte_offset();
                take(value, &mut read, &mut seen);
            }
            outcome => {
                seen += 1;
                let line = text[..at].matches('\n').count() + 1;
                let reason = outcome
                    .and_then(Result::err)
                    .map_or_else(String::new, |error| error.to_string());
                read.problems.push(format!(
                    "The prediction that begins in line {line} is not JSON ({reason}) and is left out."
                ));
                match text[at..].find("\n{") {
                    Some(next) => at += next + 1,
                    None => return read,
                }
            }
        }
    }
}

fn take(value: Value, read: &mut Read<Prediction>, seen: &mut usize) {
    let mut one = |value: &Value| {
        *seen += 1;
        take_one(value, *seen, read);
    };
    match value {
        Value::Array(items) => items.iter().for_each(one),
        other => one(&other),
    }
}

fn take_one(value: &Value, position: usize, read: &mut Read<Prediction>) {
    let Some(record) = value.as_object() else {
        read.problems.push(format!(
            "Prediction {position} is not a JSON object and is left out."
        ));
        return;
    };
    let keys = ["id", "case_id", "study_id"];
    let id = keys
        .iter()
        .filter_map(|key| record.get(*key))
        .find(|id| is_truthy(id));
    let Some(case) = id.and_then(integer) else {
        read.problems.push(format!(
            "Prediction {position} has no whole number as `id` and is left out."
        ));
        return;
    };
    // The model that searched; where no file says so, the one that was asked for.
    let model = first_text(record, &["search_model", "model", "requested_model"]);
    let urls = match listed_urls(record) {
        None => {
            read.problems.push(format!(
                "Prediction {position}, of case {case}, has no list `result.urls` and counts as one without any address."
            ));
            Vec::new()
        }
        Some(listed) => {
            let urls: Vec<PredictedUrl> = listed.iter().filter_map(predicted).collect();
            if urls.len() < listed.len() {
                read.problems.push(format!(
                    "Prediction {position}, of case {case}, has {} entries in `result.urls` without a `url`, which are \
                     left out.",
                    listed.len() - urls.len()
                ));
            }
            urls
        }
    };
    read.records.push(Prediction {
        case,
        model: if model.is_empty() {
            "unknown".to_owned()
        } else {
            model
        },
        urls,
    });
}

fn listed_urls(record: &Map<String, Value>) -> Option<&Vec<Value>> {
    record.get("result")?.get("urls")?.as_array()
}

fn predicted(item: &Value) -> Option<PredictedUrl> {
    match item {
        Value::String(url) => Some(PredictedUrl {
            url: url.clone(),
            ..PredictedUrl::default()
        }),
        Value::Object(members) if members.contains_key("url") => Some(PredictedUrl {
            url: text(members, "url"),
            kind: text(members, "kind").trim().to_lowercase(),
            name: text(members, "resource_name"),
            why: text(members, "why_needed"),
        }),
        _ => None,
    }
}

pub(super) fn text(members: &Map<String, Value>, key: &str) -> String {
    members
        .get(key)
        .filter(|value| is_truthy(value))
        .map_or_else(String::new, plain)
}

pub(super) fn first_text(members: &Map<String, Value>, keys: &[&str]) -> String {
    keys.iter()
        .map(|key| text(members, key))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_lists_marks_and_nuls_are_read() {
        let file = b"\xEF\xBB\xBF{\n \"id\": 1, \"search_model\": \"m\",\n \"result\": {\"urls\": [\"a.org\", {\"url\": null}]}\0}\n,\n[{\"id\": \"2\"}, {\"case_id\": 3, \"model\": \"n\"}, {\"id\": 4, \"search_model\": null, \"requested_model\": \"r\"}]";
        let read = read_predictions(file);
        assert_eq!(read.problems.len(), 3, "{:?}", read.problems);
        assert!(
            read.problems
                .iter()
                .all(|one| one.contains("no list `result.urls`"))
        );
        let cases: Vec<_> = read
            .records
            .iter()
            .map(|one| (one.case, one.model.as_str()))
            .collect();
        assert_eq!(cases, [(1, "m"), (2, "unknown"), (3, "n"), (4, "r")]);
        assert_eq!(read.records[0].urls.len(), 2);
    }

    #[test]
    fn a_broken_record_is_named_and_the_rest_is_read() {
        let empty = "\"result\": {\"urls\": []}";
        let odd = "\"result\": {\"urls\": [7, \"a.org\", {\"link\": \"b.org\"}]}";
        let file = format!(
            "{{\"id\": 1, {empty}}}\n{{\"id\": 2, \"result\": NaN}}\n{{\"id\": 3, {odd}}}\n{{\"name\": 4}}\n7"
        );
        let read = read_predictions(file.as_bytes());
        let cases: Vec<_> = read.records.iter().map(|one| one.case).collect();
        assert_eq!(cases, [1, 3]);
        assert_eq!(read.problems.len(), 4);
        assert!(read.problems[0].contains("line 2"), "{:?}", read.problems);
        assert!(
            read.problems[1].contains("of case 3, has 2 entries"),
            "{:?}",
            read.problems
        );
        assert_eq!(read.records[1].urls.len(), 1);
        assert!(read_predictions(b"{{{{").records.is_empty());
        assert!(read_predictions("é".as_bytes()).records.is_empty());
    }
}
