//! Answers that [`super::strict`] takes for right, as data that another program can compare by.

use serde::Serialize;
use serde_json::Value;

use super::question::{AnswerKind, gold_runs, kind};
use super::strict;
use crate::scoring::released::capsule::value::PythonValue;

/// The answers that are right for one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedAnswer {
    pub question: String,
    #[serde(flatten)]
    pub accepted: Accepted,
}

/// The answers that are right.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Accepted {
    /// This truth value.
    Truth { value: bool },
    /// A number within bounds, or as close to one as rounding of floats takes where there is slack.
    Number { lower: f64, upper: f64, slack: bool },
    /// This text, in lower case and without blanks around it.
    Text { value: String },
    /// A list of these, texts in any case.
    List { items: Vec<Value> },
    /// None: the gold cannot be compared.
    Nothing,
}

/// What is right for each question of gold in JSON; `None` of gold that is no list of runs.
pub fn accepted(gold: &str) -> Option<Vec<AcceptedAnswer>> {
    let value = PythonValue::parse(gold).ok()?;
    let written: Vec<serde_json::Map<String, Value>> = serde_json::from_str(gold).ok()?;
    let runs = gold_runs(&value)?;
    let answers = runs.first()?.iter().map(|(question, first)| {
        let all: Vec<PythonValue> = runs.iter().filter_map(|run| run.get(question).cloned()).collect();
        let as_written = written.first().and_then(|run| run.get(question));
        AcceptedAnswer {
            question: question.clone(),
            accepted: one(first, &all, as_written),
        }
    });
    Some(answers.collect())
}

fn one(gold: &PythonValue, runs: &[PythonValue], written: Option<&Value>) -> Accepted {
    match (kind(gold), gold, written) {
        (AnswerKind::Number, PythonValue::Bool(value), _) => Accepted::Truth { value: *value },
        (AnswerKind::Number, _, _) => match strict::bounds(runs) {
            Some(bounds) => Accepted::Number {
                lower: bounds.interval.lower,
                upper: bounds.interval.upper,
                slack: bounds.has_slack,
            },
            None => Accepted::Nothing,
        },
        (AnswerKind::Text, gold, _) => Accepted::Text {
            value: strict::plain_text(gold),
        },
        (AnswerKind::List, _, Some(Value::Array(items))) => Accepted::List { items: items.clone() },
        _ => Accepted::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_gold_has_its_own_answers() {
        let gold = r#"[{"a": 5, "b": true, "c": " Blue ", "d": [1, "X"], "e": null, "f": 0.5}]"#;
        let found = accepted(gold).unwrap();
        let told = serde_json::to_value(&found).unwrap();
        assert_eq!(
            told,
            serde_json::json!([
                { "question": "a", "kind": "number", "lower": 4.5, "upper": 5.5, "slack": false },
                { "question": "b", "kind": "truth", "value": true },
                { "question": "c", "kind": "text", "value": "blue" },
                { "question": "d", "kind": "list", "items": [1, "X"] },
                { "question": "e", "kind": "nothing" },
                { "question": "f", "kind": "number", "lower": 0.45, "upper": 0.55, "slack": true },
            ])
        );
        assert_eq!(accepted("[1]"), None);
    }
}
