//! A released artifact against the schema of its kind.

use serde::Serialize;
use serde_json::Value;

use super::artifact_kind::{ArtifactKind, KnownBy};
use super::fault::{AnswerDeviation, AnswerDeviationKind, AnswerFault};
use super::normalise;
use crate::domain::excerpt;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::study::mend::{self, NotMended};

/// Most characters of a value that a fault shows.
const SHOWN: usize = 120;

/// The faults and mended parts of one document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArtifactCheck {
    /// The released name of what it is, such as `replication_info.json`; `None` where nothing tells.
    pub artifact: Option<&'static str>,
    pub known_by: Option<KnownBy>,
    pub faults: Vec<ArtifactFault>,
    pub mended: Vec<ArtifactMend>,
}

/// Something that no reader can mend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArtifactFault {
    /// JSON pointer into the document; empty for the whole.
    pub path: String,
    /// What stands there, cut; `None` where nothing does.
    pub value: Option<String>,
    pub problem: String,
    pub expected: String,
}

/// A difference from the schema that is read all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArtifactMend {
    /// JSON pointer; empty for the JSON itself.
    pub path: String,
    /// `None` of the JSON itself, which was no JSON.
    pub kind: Option<AnswerDeviationKind>,
    /// One sentence.
    pub note: String,
}

impl ArtifactCheck {
    /// True if nothing is wrong that is not mended.
    pub fn is_ok(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Checks the bytes of a file against the schema of what it is.
///
/// A stream of predictions (`{"id": .., "result": {"urls": ..}}`, one after another or in a
/// list) is checked record by record.
pub fn check(name: &str, bytes: &[u8]) -> ArtifactCheck {
    let text = String::from_utf8_lossy(bytes);
    let mut found = match values(&text) {
        Ok((values, repairs)) => of_values(name, &values, repairs),
        Err(why) => ArtifactCheck {
            artifact: None,
            known_by: None,
            faults: vec![ArtifactFault {
                path: String::new(),
                value: Some(excerpt::with_size(
                    text.trim_start_matches('\u{feff}').trim(),
                    SHOWN,
                )),
                problem: why.to_string(),
                expected: "one JSON object, or a stream of predictions".to_owned(),
            }],
            mended: Vec::new(),
        },
    };
    if std::str::from_utf8(bytes).is_err() {
        found.mended.push(ArtifactMend {
            path: String::new(),
            kind: None,
            note: "It is not UTF-8; what is not was replaced by U+FFFD.".to_owned(),
        });
    }
    found
}

/// The documents of a text, and what had to be mended to read them.
fn values(text: &str) -> Result<(Vec<Value>, Vec<String>), NotMended> {
    let stream = || -> Option<Vec<Value>> {
        let read = serde_json::Deserializer::from_str(text.trim_start_matches('\u{feff}')).into_iter();
        read.collect::<Result<_, _>>().ok()
    };
    match stream() {
        Some(values) if values.len() > 1 => Ok((values, Vec::new())),
        _ => mend::parse(text).map(|(value, repairs)| (vec![value], repairs)),
    }
}

fn of_values(name: &str, values: &[Value], repairs: Vec<String>) -> ArtifactCheck {
    let mended = repairs.into_iter().map(|note| ArtifactMend {
        path: String::new(),
        kind: None,
        note,
    });
    let mut found = match values {
        [Value::Array(records)] if records.iter().any(is_prediction) => of_predictions(records),
        [one] if !is_prediction(one) => of_document(name, one),
        values => of_predictions(values),
    };
    found.mended.splice(0..0, mended);
    found
}

fn is_prediction(record: &Value) -> bool {
    record.get("result").is_some_and(Value::is_object)
}

fn of_document(name: &str, value: &Value) -> ArtifactCheck {
    let Some((kind, known_by)) = ArtifactKind::find(name, value) else {
        let expected = replication::STAGES.map(|stage| format!("`{}`", replication::artifact(stage)));
        return ArtifactCheck {
            artifact: None,
            known_by: None,
            faults: vec![ArtifactFault {
                path: String::new(),
                value: Some(excerpt::with_size(&value.to_string(), SHOWN)),
                problem: "neither its keys nor its name say which artifact it is".to_owned(),
                expected: format!("the keys or the name of one of {}", expected.join(", ")),
            }],
            mended: Vec::new(),
        };
    };
    let ArtifactKind::Answer(stage) = kind else {
        return of_record(value, known_by);
    };
    let mut found = ArtifactCheck {
        artifact: Some(replication::artifact(stage)),
        known_by: Some(known_by),
        faults: Vec::new(),
        mended: Vec::new(),
    };
    found.add(stage, value, "");
    if let Some(ArtifactKind::Answer(named)) = ArtifactKind::of_name(name)
        && named != stage
    {
        found.faults.push(ArtifactFault {
            path: String::new(),
            value: Some(name.to_owned()),
            problem: format!(
                "its name is that of {}, and it holds {}",
                replication::artifact(named),
                replication::artifact(stage)
            ),
            expected: "the name of what it holds".to_owned(),
        });
    }
    found
}

/// The engine's record has no schema; what is read of it is whether it went well.
fn of_record(value: &Value, known_by: KnownBy) -> ArtifactCheck {
    let ok = value.get("ok");
    let fault = (!ok.is_some_and(Value::is_boolean)).then(|| ArtifactFault {
        path: if ok.is_some() { "/ok" } else { "" }.to_owned(),
        value: ok.map(|ok| excerpt::with_size(&ok.to_string(), SHOWN)),
        problem: "it does not say whether the execution went well".to_owned(),
        expected: "the key `ok` with true or false".to_owned(),
    });
    ArtifactCheck {
        artifact: Some("execution_result.json"),
        known_by: Some(known_by),
        faults: fault.into_iter().collect(),
        mended: Vec::new(),
    }
}

fn of_predictions(records: &[Value]) -> ArtifactCheck {
    let mut found = ArtifactCheck {
        artifact: Some(replication::artifact(Stage::SEARCH)),
        known_by: Some(KnownBy::Content),
        faults: Vec::new(),
        mended: Vec::new(),
    };
    for (at, record) in records.iter().enumerate() {
        match record.get("result") {
            Some(result) => found.add(Stage::SEARCH, result, &format!("/{at}/result")),
            None => found.faults.push(ArtifactFault {
                path: format!("/{at}"),
                value: Some(excerpt::with_size(&record.to_string(), SHOWN)),
                problem: "the record of a prediction has no `result`".to_owned(),
                expected: "an object with `id` and `result`".to_owned(),
            }),
        }
    }
    found
}

impl ArtifactCheck {
    /// Adds what is wrong with an answer at a place of the document.
    fn add(&mut self, stage: Stage, value: &Value, at: &str) {
        match normalise::normalise(stage, value.clone()) {
            Ok((_, deviations)) => {
                let mends = deviations
                    .into_iter()
                    .map(|AnswerDeviation { path, kind, note }| ArtifactMend {
                        path: format!("{at}{path}"),
                        kind: Some(kind),
                        note,
                    });
                self.mended.extend(mends);
            }
            Err(faults) => {
                let faults = faults.into_iter().map(
                    |AnswerFault {
                         path,
                         problem,
                         expected,
                     }| ArtifactFault {
                        value: value
                            .pointer(&path)
                            .map(|found| excerpt::with_size(&found.to_string(), SHOWN)),
                        path: format!("{at}{path}"),
                        problem,
                        expected,
                    },
                );
                self.faults.extend(faults);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_place_its_value_and_what_is_expected() {
        let found = check(
            "search_results.json",
            br#"{"urls": [{"name": "panel"}, {"url": "https://a.org", "name": "code"}]}"#,
        );
        assert_eq!(found.artifact, Some("search_results.json"));
        let [fault] = found.faults.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(fault.path, "/urls/0");
        assert_eq!(fault.value.as_deref(), Some(r#"{"name":"panel"}"#));
        assert!(
            fault.problem.contains("\"url\"") && fault.expected.contains("url"),
            "{fault:?}"
        );
    }

    #[test]
    fn what_is_mended_is_told() {
        let found = check(
            "anything.json",
            br#"{"urls": [{"url": "https://a.org", "name": "code"},], "missing": []}"#,
        );
        assert!(found.is_ok(), "{found:?}");
        assert_eq!(found.mended[0].kind, None);
        let alias = found
            .mended
            .iter()
            .find(|mend| mend.kind == Some(AnswerDeviationKind::Alias));
        assert_eq!(alias.map(|mend| mend.path.as_str()), Some("/urls/0/name"));
    }

    #[test]
    fn predictions_are_checked_one_by_one() {
        let stream = "{\"id\": 1, \"result\": {\"urls\": []}}\n{\n\"id\": 2,\n\"result\": {\"urls\": [3]}}\n{\"id\": 3}";
        let found = check("merged_m.jsonl", stream.as_bytes());
        let paths: Vec<&str> = found.faults.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, ["/1/result/urls/0", "/2"]);
    }

    #[test]
    fn what_is_none_is_told_from_what_is_broken() {
        let of = |name: &str, text: &str| check(name, text.as_bytes()).faults.remove(0);
        assert!(
            of("notes.json", "{\"a\": 1}")
                .expected
                .contains("`replication_info.json`")
        );
        assert!(of("notes.json", "hello").problem.contains("not JSON"));
        assert_eq!(
            of("post_registration.json", "null").value.as_deref(),
            Some("null")
        );
        let plan = r#"{"replication_study": {"hypothesis": "h"}}"#;
        assert!(
            of("post_registration.json", plan)
                .problem
                .contains("holds replication_info.json")
        );
        assert!(check("execution_result.json", b"{\"ok\": false, \"error\": \"e\"}").is_ok());
    }
}
