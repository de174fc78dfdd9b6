//! `submit`: the answers of a task, by which its conversation ends.

use serde_json::{Value, json};

use super::contract::{Observation, Tool, ToolOutcome};
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// The tool's name. A call of it that is in order is the conversation's answer.
pub const NAME: &str = "submit";

/// Hands the answers in.
pub struct Submit;

/// The answers of a call that is in order.
pub fn answers(arguments: &Value) -> Option<&Value> {
    arguments.get("answers").filter(|answers| answers.is_object())
}

/// What a call that is in order hands in, whichever `submit` it is of.
pub fn handed_in(arguments: &Value) -> Option<Value> {
    match answers(arguments) {
        Some(answers) => Some(answers.clone()),
        None => arguments.get("answer").map(answer),
    }
}

/// An answer of any form. A text that is JSON stands for what it says, as agents of SUPER write it.
fn answer(given: &Value) -> Value {
    let decoded = given.as_str().and_then(|text| serde_json::from_str(text).ok());
    decoded.unwrap_or_else(|| given.clone())
}

impl Tool for Submit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: NAME.to_owned(),
            description: "Hands in the answers, which ends the task. Call it alone, when every question has its answer."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "answers": {
                        "type": "object",
                        "description": "For each question, its text to the letter as the key, and a number, a text or a \
                            list of these as the value.",
                        "additionalProperties": true,
                    }
                },
                "required": ["answers"],
                "additionalProperties": false,
            }),
        }
    }

    fn call(&self, given: &Value, _: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match answers(given) {
            Some(_) => Observation::good("The answers were handed in."),
            None => Observation::bad(
                "Nothing was handed in: give `answers`, an object with the text of each question as a key.",
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Fixture;
    use super::*;

    #[test]
    fn an_answer_may_have_any_form() {
        for (given, handed) in [
            (json!({"answer": {"a": 1}}), json!({"a": 1})),
            (json!({"answer": "{\"a\": 1}"}), json!({"a": 1})),
            (json!({"answer": "0.5"}), json!(0.5)),
            (json!({"answer": "five"}), json!("five")),
            (json!({"answers": {"q": 2}}), json!({"q": 2})),
        ] {
            assert_eq!(handed_in(&given), Some(handed));
        }
        assert_eq!(handed_in(&json!({"answers": [1]})), None);
    }

    #[test]
    fn only_an_object_is_handed_in() {
        let fixture = Fixture::new(&[]);
        let is_taken = |arguments: Value| match Submit.call(&arguments, &fixture.workspace) {
            ToolOutcome::Observed(seen) => seen.ok,
            other => panic!("{other:?}"),
        };
        assert!(is_taken(json!({"answers": {"a": 1}})));
        for arguments in [
            json!({}),
            json!({"answers": [1]}),
            json!({"answers": "{}"}),
            json!([]),
        ] {
            assert!(!is_taken(arguments));
        }
    }
}
