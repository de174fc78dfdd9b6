//! Prediction files and recorded aliases.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::scoring::released::json::Node;
use crate::scoring::released::python::{is_true, value};
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::checked::{Unread, twice};
use crate::scoring::url_match::level::CuratedAlias;

const RECORD_FIELDS: &[&str] = &[
    "id",
    "case_id",
    "study_id",
    "requested_model",
    "summarizer_model",
    "search_model",
    "model",
    "details_path",
    "paper_path",
    "result",
    "raw_response",
];
const RESULT_FIELDS: &[&str] = &["urls", "missing"];
const URL_FIELDS: &[&str] = &["url", "kind", "resource_name", "why_needed", "search_query"];

/// Most lines about one file.
const MOST_PROBLEMS: usize = 40;

/// The addresses that one run found for one study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    pub case: CaseId,
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

impl<T> Read<T> {
    /// Keeps a sentence, unless there are more than a person would read.
    pub(super) fn tell(&mut self, problem: String) {
        match self.problems.len() {
            MOST_PROBLEMS => self
                .problems
                .push("What else is odd about this file is not listed.".to_owned()),
            count if count > MOST_PROBLEMS => {}
            _ => self.problems.push(problem),
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
    let mut unread = Unread::default();
    loop {
        let rest = &text[at..];
        let start = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == ',')
                .len();
        at += start;
        if at == text.len() {
            break;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Node<'_>>();
        match values.next() {
            Some(Ok(Node::List(items))) => {
                at += values.byte_offset();
                for item in items {
                    seen += 1;
                    take(item, seen, &mut read, &mut unread);
                }
            }
            Some(Ok(item)) => {
                at += values.byte_offset();
                seen += 1;
                take(item, seen, &mut read, &mut unread);
            }
            outcome => {
                seen += 1;
                let line = text[..at].matches('\n').count() + 1;
                let reason = outcome
                    .and_then(Result::err)
                    .map_or_else(String::new, |error| error.to_string());
                read.tell(format!(
                    "The prediction that begins in line {line} is not JSON ({reason}) and is left out."
                ));
                match text[at..].find("\n{") {
                    Some(next) => at += next + 1,
                    None => break,
                }
            }
        }
    }
    for line in unread.lines() {
        read.tell(line);
    }
    read
}

fn take(node: Node<'_>, position: usize, read: &mut Read<Prediction>, unread: &mut Unread) {
    let mut repeated = Vec::new();
    let value = value(node, &mut repeated);
    let Some(record) = value.as_object() else {
        read.tell(format!(
            "Prediction {position} is not a JSON object and is left out."
        ));
        return;
    };
    if let Some(twice) = twice(repeated) {
        read.tell(format!("Prediction {position} {twice}."));
    }
    let id = ID_FIELDS
        .iter()
        .filter_map(|key| record.get(*key))
        .find(|id| is_true(id));
    let Some(case) = id.and_then(CaseId::read) else {
        read.tell(format!(
            "Prediction {position} has no whole number or name as `id` and is left out."
        ));
        return;
    };
    unread.look("a prediction", record, RECORD_FIELDS);
    if let Some(result) = record.get("result").and_then(Value::as_object) {
        unread.look("`result`", result, RESULT_FIELDS);
    }
    // The model that searched; where no file says so, the one that was asked for.
    let model = first_text(record, &["search_model", "model", "requested_model"]);
    let which = format!("Prediction {position}, of case {case},");
    let urls = match listed_urls(record) {
        None => {
            read.tell(format!(
                "{which} has no list `result.urls` and counts as one without any address."
            ));
            Vec::new()
        }
        Some(listed) => {
            for item in listed.iter().filter_map(Value::as_object) {
                unread.look("an entry of `result.urls`", item, URL_FIELDS);
            }
            urls(listed, &which, read, [&["resource_name"], &["why_needed"]])
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

/// How a file without records is spoken of.
const FILE: &str = "The file";

/// The names by which a record says which case it is of.
const ID_FIELDS: [&str; 3] = ["id", "case_id", "study_id"];

/// Reads a run's own `search_results.json`, which does not say of which case it
/// is; `None` of any other file.
pub fn read_search_results(bytes: &[u8]) -> Option<Read<PredictedUrl>> {
    let mut repeated = Vec::new();
    let value = value(Node::parse(bytes).ok()?, &mut repeated);
    let members = value.as_object()?;
    if ID_FIELDS.iter().any(|key| members.contains_key(*key)) {
        return None;
    }
    let listed = members.get("urls")?.as_array()?;
    let mut read = Read::default();
    if let Some(twice) = twice(repeated) {
        read.tell(format!("{FILE} {twice}."));
    }
    let mut told = Read::default();
    read.records = urls(
        listed,
        FILE,
        &mut told,
        [&["resource_name", "name"], &["why_needed", "why"]],
    );
    read.problems.extend(told.problems);
    Some(read)
}

fn listed_urls(record: &Map<String, Value>) -> Option<&Vec<Value>> {
    record.get("result")?.get("urls")?.as_array()
}

/// The addresses of one answer, whose entries give a name and a reason by these keys.
fn urls(listed: &[Value], which: &str, read: &mut Read<Prediction>, keys: [&[&str]; 2]) -> Vec<PredictedUrl> {
    let place = if which == FILE { "urls" } else { "result.urls" };
    let urls: Vec<PredictedUrl> = listed.iter().filter_map(|item| predicted(item, keys)).collect();
    if urls.len() < listed.len() {
        read.tell(format!(
            "{which} has {} entries in `{place}` without a `url`, which are left out.",
            listed.len() - urls.len()
        ));
    }
    let is_odd = |item: &&Value| {
        let url = item.get("url");
        url.is_some_and(|url| !url.is_string() && !url.is_null())
    };
    let odd = listed.iter().filter(is_odd).count();
    if odd > 0 {
        read.tell(format!(
            "{which} has {odd} entries in `{place}` whose `url` is no text and is taken as it is written."
        ));
    }
    urls
}

fn predicted(item: &Value, [name, why]: [&[&str]; 2]) -> Option<PredictedUrl> {
    match item {
        Value::String(url) => Some(PredictedUrl {
            url: url.clone(),
            ..PredictedUrl::default()
        }),
        Value::Object(members) if members.contains_key("url") => Some(PredictedUrl {
            url: text(members, "url"),
            kind: text(members, "kind").trim().to_lowercase(),
            name: first_text(members, name),
            why: first_text(members, why),
        }),
        _ => None,
    }
}

pub(super) fn text(members: &Map<String, Value>, key: &str) -> String {
    members
        .get(key)
        .filter(|value| is_true(value))
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

#[cfg(test)]
mod tests {
    use crate::scoring::url_match::files::*;

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
            .map(|one| (one.case.to_string(), one.model.as_str()))
            .collect();
        let expected = [("1", "m"), ("2", "unknown"), ("3", "n"), ("4", "r")];
        assert_eq!(cases, expected.map(|(case, model)| (case.to_owned(), model)));
        assert_eq!(read.records[0].urls.len(), 2);
    }

    #[test]
    fn a_broken_record_is_named_and_the_rest_is_read() {
        let empty = "\"result\": {\"urls\": []}";
        let odd = "\"result\": {\"urls\": [7, \"a.org\", {\"link\": \"b.org\"}]}";
        let file = format!(
            "{{\"id\": 1, {empty}}}\n{{\"id\": 2, \"result\": NaN}}\n{{\"id\": 3, {odd}}}\n{{\"name\": 4}}\n7\n{{\"id\": \"duncan-1961\", {empty}}}"
        );
        let read = read_predictions(file.as_bytes());
        let cases: Vec<_> = read.records.iter().map(|one| one.case.to_string()).collect();
        assert_eq!(cases, ["1", "3", "duncan-1961"]);
        assert_eq!(read.problems.len(), 5);
        assert!(read.problems[0].contains("line 2"), "{:?}", read.problems);
        assert!(
            read.problems[1].contains("of case 3, has 2 entries"),
            "{:?}",
            read.problems
        );
        assert_eq!(read.records[1].urls.len(), 1);
        assert!(
            read.problems[4].contains("The field `link` of an entry"),
            "{:?}",
            read.problems
        );
        assert!(read_predictions(b"{{{{").records.is_empty());
        assert!(read_predictions("é".as_bytes()).records.is_empty());
    }

    #[test]
    fn what_is_odd_about_a_prediction_is_said() {
        let file = br#"{"id": 1, "id": 2, "modle": "m", "result": {"urls": [{"url": 5}], "urls": []}}"#;
        let read = read_predictions(file);
        assert_eq!(read.records[0].case, 2.into());
        assert_eq!(
            read.problems,
            [
                "Prediction 1 gives `id`, `urls` more than once in one object; the last one counts.",
                "The field `modle` of a prediction, given 1 time, is not read; known are `id`, `case_id`, `study_id`, \
                 `requested_model`, `summarizer_model`, `search_model`, `model`, `details_path`, `paper_path`, \
                 `result`, `raw_response`."
            ]
        );
        let read = read_predictions(br#"{"id": 1, "result": {"urls": [{"url": 5}]}}"#);
        assert_eq!(read.records[0].urls[0].url, "5");
        assert!(read.problems[0].contains("1 entries"), "{:?}", read.problems);
    }

    #[test]
    fn a_runs_own_results_are_told_from_records() {
        for own in [
            &br#"{"urls": [{"url": "a.org", "resource_name": "the data", "why_needed": "main"}], "missing": []}"#[..],
            br#"{"urls": [{"url": "a.org", "name": "the data", "why": "main"}], "missing": []}"#,
        ] {
            let read = read_search_results(own).unwrap();
            assert_eq!(
                (read.records[0].name.as_str(), read.records[0].why.as_str()),
                ("the data", "main")
            );
        }
        for other in [
            &br#"{"id": 1, "urls": []}"#[..],
            b"[]",
            b"{}",
            b"{\"urls\": []} {}",
        ] {
            assert!(read_search_results(other).is_none());
        }
    }
}
