//! A step, and the reading of an answer that is one.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::agent::pending_call::PendingCall;
use crate::domain::excerpt;
use crate::domain::lenient_json;
use crate::tools::submit;

/// The longest name of a tool that is made of a model's text, in characters.
const LONGEST_NAME: usize = 80;

/// A step of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The answer, in the agent's own form.
    pub said: Arc<str>,
    pub seen: Arc<str>,
}

/// An answer that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadStep {
    /// The answer as it stands in the history.
    pub said: String,
    pub call: PendingCall,
}

/// The correction of an answer that cannot be read, in sentences for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadStep(pub String);

impl From<&str> for UnreadStep {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

/// A call that an answer asks for.
pub fn call(tool: &str, arguments: Value) -> PendingCall {
    PendingCall {
        index: 0,
        id: String::new(),
        tool: excerpt::start(tool, LONGEST_NAME).to_owned(),
        arguments: Ok(arguments),
    }
}

/// The call that submits an answer, which is JSON near enough to be read without a guess; `NaN` and what
/// else Python's dialect has is taken.
///
/// # Errors
/// What keeps it from being read.
pub fn submission(text: &str) -> Result<PendingCall, UnreadStep> {
    let answer = match serde_json::from_str::<Value>(text) {
        Ok(answer) => answer,
        Err(error) => lenient_json::parse(text)
            .map(|parsed| parsed.value)
            .map_err(|_| {
                UnreadStep(format!(
                    "What is submitted has to be JSON, and cannot be read as such: {error}."
                ))
            })?,
    };
    Ok(call(submit::NAME, json!({ "answer": answer })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_submitted_is_json_of_pythons_dialect_too() {
        let answer = |text: &str| submission(text).unwrap().arguments.unwrap()["answer"].clone();
        assert_eq!(answer("{\"a\": 0.5}"), json!({"a": 0.5}));
        assert_eq!(answer("{'a': None, 'b': [NaN]}"), json!({"a": null, "b": [null]}));
        assert_eq!(answer("3"), json!(3));
        assert!(
            submission("the loss is 0.5")
                .unwrap_err()
                .0
                .contains("has to be JSON")
        );
        assert!(submission("").is_err());
    }
}
