//! The calls of an answer, with ids that are theirs alone.

use std::collections::HashSet;

use serde_json::Value;

use crate::domain::conversation::{Position, ToolCall};
use crate::model::chat::{ChatRequest, Message};

/// Most calls taken from one answer; what a runaway model adds is dropped.
const MOST_CALLS: usize = 128;

/// Longest id that is kept.
const LONGEST: usize = 256;

/// A call as an answer holds it.
#[derive(Debug, Clone, Copy)]
pub struct WrittenCall<'a> {
    pub id: Option<&'a Value>,
    pub name: Option<&'a Value>,
    pub arguments: Option<&'a Value>,
}

/// The calls of an answer to `request`.
pub fn calls<'a>(request: &ChatRequest, written: impl IntoIterator<Item = WrittenCall<'a>>) -> Vec<ToolCall> {
    let mut ids = CallIds::new(request);
    let text = |value: Option<&'a Value>| value.and_then(Value::as_str).unwrap_or_default();
    written
        .into_iter()
        .take(MOST_CALLS)
        .enumerate()
        .map(|(index, call)| ToolCall {
            id: ids.unique(text(call.id), index),
            name: text(call.name).to_owned(),
            arguments: arguments(call.arguments),
        })
        .collect()
}

/// Arguments as text, whether they were written as text or as an object.
fn arguments(written: Option<&Value>) -> String {
    match written {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) if text.trim().is_empty() => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The ids given out in a conversation. Some servers give none, or count from
/// zero in every answer, and an answer to a call has to find its call.
#[derive(Debug)]
struct CallIds {
    position: Position,
    known: HashSet<String>,
}

impl CallIds {
    /// The ids of the calls so far.
    fn new(request: &ChatRequest) -> Self {
        let known = request
            .messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant { calls, .. } => Some(calls),
                _ => None,
            })
            .flatten()
            .map(|call| call.id.clone())
            .collect();
        Self {
            position: request.position,
            known,
        }
    }

    /// The given id if no call has it, else one of ours: `call_STAGE_TURN_N`
    /// for the `index`-th call of the answer.
    fn unique(&mut self, given: &str, index: usize) -> String {
        let usable = !given.is_empty() && given.len() <= LONGEST && !self.known.contains(given);
        let mut id = if usable {
            given.to_owned()
        } else {
            format!("call_{}_{}_{index}", self.position.stage, self.position.turn)
        };
        while self.known.contains(&id) {
            id.push('_');
        }
        self.known.insert(id.clone());
        id
    }
}
