//! Results of the tools that a program of others ran, out of the requests that it made afterwards.
//!
//! Such tools run within the program, so that the journal has no result of a call; the next request
//! says it to the model, in the dialect that the program speaks.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::artifacts::content;
use crate::artifacts::store::StoreError;
use crate::domain::digest::Digest;
use crate::effects::program::earlier_calls::whole;
use crate::engine::run_reader::RunReader;
use crate::run::program::ProgramCall;

/// Items of the Responses dialect that hold what a tool gave end so.
const OUTPUT: &str = "_call_output";

/// The requests of a program, one after the other.
#[derive(Debug, Default)]
pub struct ProgramResults {
    /// The body of the last one.
    body: Vec<u8>,
    /// How often each result was said at most in one of them.
    said: BTreeMap<Digest, usize>,
}

impl ProgramResults {
    /// The results that a request says for the first time, in its order. A request that is no JSON says
    /// none.
    ///
    /// # Errors
    /// A request that the store lacks or holds damaged.
    pub fn new_in(&mut self, call: &ProgramCall, run: &RunReader) -> Result<Vec<String>, StoreError> {
        self.body = whole(&call.asked, &self.body, &|stored| {
            content::load(stored, &run.store)
        })?;
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        Ok(self.unsaid(results(&body)))
    }

    /// Those of a request's results that were not said as often before.
    fn unsaid(&mut self, results: Vec<String>) -> Vec<String> {
        let mut here = BTreeMap::<Digest, usize>::new();
        let mut unsaid = Vec::new();
        for result in results {
            let digest = Digest::compute(&result);
            let count = here.entry(digest).or_default();
            *count += 1;
            if *count > self.said.get(&digest).copied().unwrap_or_default() {
                unsaid.push(result);
            }
        }
        for (digest, count) in here {
            let said = self.said.entry(digest).or_default();
            *said = (*said).max(count);
        }
        unsaid
    }
}

/// What tools gave, by the request that says it: of chat completions, Responses, Messages and
/// generateContent.
fn results(body: &Value) -> Vec<String> {
    let list = |key: &str| body.get(key).and_then(Value::as_array).into_iter().flatten();
    let is = |value: &Value, key: &str, word: &str| value.get(key).and_then(Value::as_str) == Some(word);
    let mut found = Vec::new();
    for message in list("messages") {
        if is(message, "role", "tool") {
            found.extend(message.get("content").map(text));
        }
        let blocks = message
            .get("content")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for block in blocks.filter(|block| is(block, "type", "tool_result")) {
            found.extend(block.get("content").map(text));
        }
    }
    for item in list("input") {
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind.ends_with(OUTPUT) {
            found.extend(item.get("output").map(text));
        }
    }
    for message in list("contents") {
        let parts = message
            .get("parts")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for part in parts {
            let response = part
                .get("functionResponse")
                .and_then(|given| given.get("response"));
            found.extend(response.map(text));
        }
    }
    found
}

/// A result as text: a text itself, the texts of parts, and anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts = parts
                .iter()
                .map(|part| match part.get("text").and_then(Value::as_str) {
                    Some(text) => text.to_owned(),
                    None => text_of_other(part),
                });
            parts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// A part that is no text, such as a picture: its kind alone.
fn text_of_other(part: &Value) -> String {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("part");
    format!("[a {kind}, which is not shown]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_dialect_says_what_tools_gave() {
        let chat = json!({"messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "tool_calls": []},
            {"role": "tool", "content": "one"},
            {"role": "tool", "content": [{"type": "text", "text": "two"}, {"type": "image_url"}]},
        ]});
        assert_eq!(results(&chat), ["one", "two\n[a image_url, which is not shown]"]);
        let messages = json!({"messages": [
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "three"}]}]},
        ]});
        assert_eq!(results(&messages), ["three"]);
        let responses = json!({"input": [
            {"type": "message", "content": "go"},
            {"type": "function_call_output", "output": "four"},
            {"type": "local_shell_call_output", "output": "five"},
        ]});
        assert_eq!(results(&responses), ["four", "five"]);
        let generate =
            json!({"contents": [{"parts": [{"functionResponse": {"response": {"output": "six"}}}]}]});
        assert_eq!(results(&generate), [r#"{"output":"six"}"#]);
        assert!(results(&json!("none")).is_empty());
    }

    #[test]
    fn a_result_is_told_once_and_the_same_again_when_it_comes_again() {
        let mut program = ProgramResults::default();
        let of = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(program.unsaid(of(&["a"])), ["a"]);
        assert_eq!(program.unsaid(of(&["a", "b"])), ["b"]);
        // A side call without the conversation forgets nothing.
        assert!(program.unsaid(Vec::new()).is_empty());
        assert_eq!(program.unsaid(of(&["a", "b", "a"])), ["a"]);
    }
}
