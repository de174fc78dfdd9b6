//! The marks in a judge's answer, field by field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use crate::agent::answer::{NoAnswer, find_answer};
use crate::catalog::rubrics::definition::Rubric;
use crate::domain::excerpt;
use crate::domain::lenient_json::RepairKind;

use crate::grading::judge::mark::{Given, Mark};

/// Most characters that are kept of a quotation or an explanation.
const KEPT: usize = 1_000;

/// The marks that can be used, and what is wrong with the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    pub given: BTreeMap<String, Given>,
    pub faults: Vec<GradingFault>,
}

/// A fault of an answer: a sentence's end, to be told to the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradingFault {
    /// The field; `None`: the whole answer.
    pub field: Option<String>,
    pub what: String,
}

impl fmt::Display for GradingFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(formatter, "`{field}` {}", self.what),
            None => formatter.write_str(&self.what),
        }
    }
}

/// Reads an answer; only the `fields` asked for count.
pub fn read(text: &str, fields: &[String], rubric: &Rubric) -> Read {
    let mut read = Read::default();
    let whole = |what: String| GradingFault { field: None, what };
    let (value, repairs) = match find_answer(text) {
        Ok(found) => found,
        Err(NoAnswer::Truncated) => {
            read.faults
                .push(whole("the answer ends inside its JSON object".to_owned()));
            return read;
        }
        Err(error) => {
            read.faults.push(whole(error.to_string()));
            return read;
        }
    };
    let twice: BTreeSet<&str> = (repairs.iter())
        .filter_map(|repair| match &repair.kind {
            RepairKind::DuplicateKey(key) => Some(key.as_str()),
            _ => None,
        })
        .collect();
    let Some(members) = members(&value, fields) else {
        read.faults.push(whole(
            "the answer is not a JSON object with the fields as its keys".to_owned(),
        ));
        return read;
    };
    for field in fields {
        let outcome = match members.get(field) {
            None => Err("is missing".to_owned()),
            Some(_) if twice.contains(field.as_str()) => Err("stands in the answer twice".to_owned()),
            Some(value) => given(value, rubric),
        };
        match outcome {
            Ok(given) => drop(read.given.insert(field.clone(), given)),
            Err(what) => read.faults.push(GradingFault {
                field: Some(field.clone()),
                what,
            }),
        }
    }
    read
}

/// The object that holds the fields: the answer, or its only member.
fn members<'a>(value: &'a Value, fields: &[String]) -> Option<&'a Map<String, Value>> {
    let outer = value.as_object()?;
    let holds = |members: &Map<String, Value>| fields.iter().any(|field| members.contains_key(field));
    if holds(outer) {
        return Some(outer);
    }
    let mut inner = outer
        .values()
        .filter_map(Value::as_object)
        .filter(|inner| holds(inner));
    inner.next().or(Some(outer))
}

fn given(value: &Value, rubric: &Rubric) -> Result<Given, String> {
    let score = match value {
        Value::Object(members) => members.get("score").ok_or("has no `score`")?,
        bare => bare,
    };
    let text = |key: &str| {
        let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
        excerpt::start(text, KEPT).to_owned()
    };
    let mark = mark(score, rubric)?;
    let explanation = match mark {
        Mark::Unscored => format!("The judge could not tell. {}", text("explanation")),
        _ => text("explanation"),
    };
    Ok(Given {
        mark,
        evidence: text("evidence"),
        explanation: explanation.trim_end().to_owned(),
    })
}

fn mark(score: &Value, rubric: &Rubric) -> Result<Mark, String> {
    let number = match score {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.trim() {
            "NA" | "N/A" if rubric.not_applicable.is_some() => return Ok(Mark::NotApplicable),
            "cannot_judge" => return Ok(Mark::Unscored),
            text => text.parse().ok(),
        },
        _ => None,
    };
    let on_scale = rubric
        .scores
        .iter()
        .find(|mark| number == Some(f64::from(**mark)));
    on_scale.map(|mark| Mark::Score(*mark)).ok_or_else(|| {
        let shown = score.to_string();
        let shown = excerpt::start(&shown, 40);
        let scale: Vec<String> = rubric.scores.iter().map(u8::to_string).collect();
        let na = if rubric.not_applicable.is_some() {
            ", \"NA\""
        } else {
            ""
        };
        format!(
            "has the score {shown}; the marks are {}{na} and \"cannot_judge\"",
            scale.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::catalog::rubrics::load::Rubrics;
    use crate::domain::stage::Stage;
    use crate::grading::judge::reading::*;

    fn rubric(stage: Stage) -> Rubric {
        Rubrics::load(None).unwrap().get(stage).unwrap().clone()
    }

    fn fields() -> Vec<String> {
        ["a.b", "c"].map(str::to_owned).into()
    }

    #[test]
    fn good_marks_are_taken_and_the_rest_is_named() {
        let text = r#"Here: {"a.b": {"score": 2, "evidence": "q", "explanation": "e"}, "c": {"score": 7}, "x": {"score": 3}}"#;
        let found = read(text, &fields(), &rubric(Stage::EXTRACT));
        assert_eq!(found.given.len(), 1);
        assert_eq!(found.given["a.b"].mark, Mark::Score(2));
        assert!(
            found.faults[0].to_string().contains("`c` has the score 7"),
            "{:?}",
            found.faults
        );
        assert!(
            read(r#"{"a.b": {"score": "3"}}"#, &fields(), &rubric(Stage::EXTRACT)).faults[0]
                .what
                .contains("missing")
        );
    }

    #[test]
    fn only_the_rubrics_own_marks_count() {
        let mark = |stage, score: &str| {
            let text = format!(r#"{{"c": {{"score": {score}}}, "a.b": {{"score": 0}}}}"#);
            read(&text, &fields(), &rubric(stage))
                .given
                .get("c")
                .map(|given| given.mark)
        };
        assert_eq!(mark(Stage::EXECUTE, "\"NA\""), None);
        assert_eq!(mark(Stage::INTERPRET, "\"NA\""), Some(Mark::NotApplicable));
        assert_eq!(mark(Stage::DESIGN, "2"), None);
        assert_eq!(mark(Stage::EXTRACT, "2.5"), None);
        assert_eq!(mark(Stage::EXTRACT, "true"), None);
        assert_eq!(mark(Stage::EXTRACT, "\"cannot_judge\""), Some(Mark::Unscored));
    }

    #[test]
    fn a_field_that_stands_twice_is_asked_for_again() {
        let text = r#"{"a.b": {"score": 0}, "c": {"score": 1}, "c": {"score": 3}}"#;
        let found = read(text, &fields(), &rubric(Stage::EXTRACT));
        assert!(
            !found.given.contains_key("c") && found.faults[0].what.contains("twice"),
            "{found:?}"
        );
        for text in ["no json", "{\"a.b\": {\"score\": 3", "[1]", ""] {
            let found = read(text, &fields(), &rubric(Stage::EXTRACT));
            assert!(found.given.is_empty() && !found.faults.is_empty(), "{text}");
        }
    }
}
