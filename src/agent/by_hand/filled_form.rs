//! A form as a person filled it in, read and held against the schema of its stage.

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::agent::reading::shortcomings;
use crate::catalog::fault::AnswerFault;
use crate::catalog::outline::chosen;
use crate::catalog::{normalise, schemas};
use crate::domain::criterion::FixedCriterion;
use crate::domain::lenient_json::{self, Tolerance};
use crate::domain::stage::Stage;
use crate::domain::text_place::{line_of, with_quotes};

use super::fault::FormFault;
use super::form::{FILL_IN, required};

/// The largest form that is read, in bytes.
pub const LARGEST: u64 = 4 << 20;

/// The key under which a date that is not quoted is read.
const DATE: &str = "$__toml_private_datetime";

/// The rules that an answer by hand has to keep.
#[derive(Debug, Clone, Copy)]
pub struct FormRules<'a> {
    pub stage: Stage,
    /// The schema of a stage whose answer has no type.
    pub own_schema: Option<&'a Value>,
    /// The rule that the study fixes for its claim.
    pub criterion: Option<&'a FixedCriterion>,
}

/// The syntax of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormSyntax {
    Toml,
    /// As artifacts are written.
    Json,
}

/// A form that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledForm {
    /// The answer without what was left empty.
    pub given: Value,
    /// The answer as its artifact is written.
    pub canonical: Value,
}

/// Reads a form.
///
/// # Errors
/// Every place that is to be filled in yet, and everything that the schema or the stage does not take.
pub fn read(text: &str, syntax: FormSyntax, rules: FormRules<'_>) -> Result<FilledForm, Vec<FormFault>> {
    let whole = |line, problem| {
        vec![FormFault {
            line,
            key: String::new(),
            problem,
        }]
    };
    let value = match syntax {
        FormSyntax::Toml => toml::from_str::<Value>(text).map_err(|error| {
            let start = error.span().map(|span| span.start);
            let problem = with_quotes(text, start.unwrap_or(text.len()), error.message());
            whole(
                start.map(|start| line_of(text, start)),
                format!("this is no TOML: {problem}"),
            )
        })?,
        FormSyntax::Json => {
            lenient_json::parse_of(Tolerance::People, text)
                .map_err(|error| whole(None, format!("this is no JSON: {error}")))?
                .value
        }
    };
    let table = match syntax {
        FormSyntax::Toml => DeTable::parse(text).ok(),
        FormSyntax::Json => None,
    };
    let places = Places { text, table };
    let mut open = Vec::new();
    unfilled(&value, &mut Vec::new(), &mut open);
    if !open.is_empty() {
        let faults = open
            .into_iter()
            .map(|path| places.fault(&path, "is to be filled in".to_owned()));
        return Err(faults.collect());
    }
    let mut answer = without_empty(value).unwrap_or_else(|| Value::Object(Map::new()));
    let schema = rules
        .own_schema
        .unwrap_or_else(|| schemas::for_stage(rules.stage));
    with_parts(schema, &mut answer);
    let normalised = match rules.own_schema {
        Some(schema) => normalise::by_schema(schema, answer.clone()),
        None => normalise::normalise(rules.stage, answer.clone()),
    };
    let faults = match normalised {
        Ok((canonical, _)) => {
            let faults = shortcomings(rules.stage, rules.criterion, &canonical);
            if faults.is_empty() {
                return Ok(FilledForm {
                    given: answer,
                    canonical,
                });
            }
            faults
        }
        Err(faults) => faults,
    };
    Err(faults.iter().map(|fault| places.of_fault(fault)).collect())
}

/// Lines of a form, by key.
struct Places<'a> {
    text: &'a str,
    table: Option<Spanned<DeTable<'a>>>,
}

impl Places<'_> {
    fn of_fault(&self, fault: &AnswerFault) -> FormFault {
        let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
        let path: Vec<String> = fault.path.split('/').skip(1).map(unescaped).collect();
        self.fault(
            &path,
            format!("{}; expected is {}", fault.problem, fault.expected),
        )
    }

    fn fault(&self, path: &[String], problem: String) -> FormFault {
        FormFault {
            line: self.offset(path).map(|offset| line_of(self.text, offset)),
            key: path.join("."),
            problem,
        }
    }

    /// Where the last key of a path that is there begins.
    fn offset(&self, path: &[String]) -> Option<usize> {
        let mut offset = None;
        let mut table = self.table.as_ref()?.get_ref();
        let mut list: Option<&[Spanned<DeValue<'_>>]> = None;
        for part in path {
            let value = match list.take() {
                Some(items) => items.get(part.parse::<usize>().ok()?),
                None => table.iter().find_map(|(key, value)| {
                    (key.get_ref().as_ref() == part).then(|| {
                        offset = Some(key.span().start);
                        value
                    })
                }),
            };
            let Some(value) = value else { break };
            match value.get_ref() {
                DeValue::Table(inner) => {
                    table = inner;
                    // The header of a table of a list, where the key stands once for all.
                    offset = inner.iter().next().map(|(key, _)| key.span().start).or(offset);
                }
                DeValue::Array(items) => list = Some(items),
                _ => {
                    offset = Some(value.span().start);
                    break;
                }
            }
        }
        offset
    }
}

/// The paths of all values that wait for somebody.
fn unfilled(value: &Value, path: &mut Vec<String>, open: &mut Vec<Vec<String>>) {
    match value {
        Value::String(text) if text.trim() == FILL_IN => open.push(path.clone()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                unfilled(item, path, open);
                path.pop();
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                path.push(key.clone());
                unfilled(item, path, open);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The value without empty texts, lists and tables; `None` where nothing is left.
fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::Null => None,
        Value::Array(items) => {
            let items: Vec<Value> = items.into_iter().filter_map(without_empty).collect();
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(mut map) => {
            if map.len() == 1
                && let Some(date) = map.remove(DATE)
            {
                return Some(date);
            }
            let map: Map<String, Value> = map
                .into_iter()
                .filter_map(|(key, value)| Some((key, without_empty(value)?)))
                .collect();
            (!map.is_empty()).then_some(Value::Object(map))
        }
        other => Some(other),
    }
}

/// Puts in the tables and lists that have to be there, though nothing was filled in in them.
fn with_parts(schema: &Value, answer: &mut Value) {
    let schema = chosen(schema);
    if let (Some(items), Value::Array(answers)) = (schema.get("items"), &mut *answer) {
        answers.iter_mut().for_each(|answer| with_parts(items, answer));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let (Some(properties), Value::Object(answer)) = (properties, answer) else {
        return;
    };
    for key in required(schema) {
        let part = properties.get(key).map(chosen);
        let empty = match part {
            Some(part) if part.get("properties").is_some() => Value::Object(Map::new()),
            Some(part) if part.get("items").is_some() => Value::Array(Vec::new()),
            _ => continue,
        };
        answer.entry(key).or_insert(empty);
    }
    for (key, part) in answer.iter_mut() {
        if let Some(schema) = properties.get(key) {
            with_parts(schema, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rules(stage: Stage) -> FormRules<'static> {
        FormRules {
            stage,
            own_schema: None,
            criterion: None,
        }
    }

    fn faults(text: &str, stage: Stage) -> Vec<String> {
        let faults = read(text, FormSyntax::Toml, rules(stage)).unwrap_err();
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_left_empty_is_not_answered() {
        let text =
            "[[missing]]\nresource_name = \"the survey\"\nwhy = \"\"\n[[urls]]\nurl = \"https://a.org\"\n";
        let form = read(text, FormSyntax::Toml, rules(Stage::SEARCH)).unwrap();
        let expected =
            json!({"missing": [{"resource_name": "the survey"}], "urls": [{"url": "https://a.org"}]});
        assert_eq!(form.given, expected);
    }

    #[test]
    fn a_part_that_has_to_be_there_may_be_left_empty() {
        let form = crate::agent::by_hand::form::empty_form("", schemas::for_stage(Stage::EXTRACT));
        let text = form.replace("outcome_name = \"FILL IN\"", "outcome_name = \"dose\"");
        let form = read(&text, FormSyntax::Toml, rules(Stage::EXTRACT)).unwrap();
        assert_eq!(form.given["original_study"]["method"], json!({}));
    }

    #[test]
    fn what_is_to_be_filled_in_is_told_with_its_line() {
        let text = "[original_study.claim]\nstudy_type = \"x\"\n\
                    [original_study.results]\n[[original_study.results.numerical_results]]\nvalue = 1.5\noutcome_name = \"FILL IN\"\n";
        assert_eq!(
            faults(text, Stage::EXTRACT),
            ["line 6: `original_study.results.numerical_results.0.outcome_name`: is to be filled in"]
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_told_with_its_line() {
        let text = "[replication_study.criterion]\nfocal_term = \"x\"\n\n# the sign\ndirection = \"upwards\"\nalpha = 0.05\ntwo_sided = true\n";
        let told = faults(text, Stage::DESIGN);
        assert!(
            told.iter()
                .any(|line| line.starts_with("line 5: `replication_study.criterion.direction`")),
            "{told:?}"
        );
    }

    #[test]
    fn what_is_no_toml_is_told_with_its_line() {
        assert!(faults("a = 1\nb = \"open\n", Stage::SEARCH)[0].starts_with("line 2: this is no TOML"));
    }
}
