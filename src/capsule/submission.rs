//! The form of answers, which says nothing of whether they are right.

use serde_json::Value;

use crate::domain::excerpt;

/// The longest text of an answer, in characters.
const LONGEST: usize = 4_000;

/// What keeps an object from being the answers to the questions of a task, a sentence each.
pub fn faults(questions: &[String], answers: &Value) -> Vec<String> {
    let Some(members) = answers.as_object() else {
        return vec!["The answers are one JSON object with a value for each question.".to_owned()];
    };
    let mut faults = Vec::new();
    for question in questions {
        match members.get(question) {
            None => faults.push(format!("There is no answer to {}.", quoted(question))),
            Some(answer) => faults.extend(fault(question, answer)),
        }
    }
    let unasked = members.keys().filter(|key| !questions.contains(key));
    faults.extend(unasked.map(|key| {
        format!(
            "{} is none of the questions: copy their texts to the letter.",
            quoted(key)
        )
    }));
    faults
}

fn fault(question: &str, answer: &Value) -> Option<String> {
    let why = match answer {
        Value::Number(_) | Value::Bool(_) => return None,
        Value::String(text) if text.trim().is_empty() => "an empty text",
        Value::String(text) if text.chars().count() > LONGEST => "longer than any answer",
        Value::String(_) => return None,
        Value::Array(items) if items.is_empty() => "an empty list",
        Value::Array(items)
            if items
                .iter()
                .any(|item| item.is_array() || item.is_object() || item.is_null()) =>
        {
            "a list of something else than numbers and texts"
        }
        Value::Array(_) => return None,
        Value::Null => "null",
        Value::Object(_) => "an object",
    };
    Some(format!(
        "The answer to {} is {why}: give a number, a text or a list of these.",
        quoted(question)
    ))
}

/// A question as sentences about answers quote it.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", excerpt::start(text, 200))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_question_has_one_answer_of_a_plausible_form() {
        let questions = ["a".to_owned(), "fig b".to_owned()];
        assert!(faults(&questions, &json!({"fig b": "blue", "a": 0.5})).is_empty());
        assert!(faults(&questions, &json!({"a": [1, "x"], "fig b": true})).is_empty());
        for (answers, said) in [
            (json!([1]), "one JSON object"),
            (json!({"a": 1}), "no answer to `fig b`"),
            (json!({"a": null, "fig b": 1}), "`a` is null"),
            (json!({"a": {"x": 1}, "fig b": 1}), "`a` is an object"),
            (json!({"a": " ", "fig b": 1}), "an empty text"),
            (json!({"a": [[1]], "fig b": 1}), "something else than"),
            (json!({"a": [], "fig b": 1}), "an empty list"),
            (
                json!({"a": 1, "fig b": 1, "A": 2}),
                "`A` is none of the questions",
            ),
        ] {
            let found = faults(&questions, &answers);
            assert!(
                found.len() == 1 && found[0].contains(said),
                "{answers}: {found:?}"
            );
        }
    }
}
