//! The messages of a run, stage after stage, in Inspect's form.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::domain::content::Content;
use crate::domain::conversation::ToolCall;
use crate::domain::stage::Stage;
use crate::engine::run_reader::RunReader;
use crate::run::event::CallRef;
use crate::run::stage_state::StageState;

/// The messages of all stages, and where each stage and each turn stands among them.
#[derive(Debug, Default)]
pub struct Conversation {
    pub messages: Vec<Value>,
    /// The first message of each stage.
    begins: BTreeMap<Stage, usize>,
    /// The message that answers in each turn.
    answers: BTreeMap<TurnKey, usize>,
}

/// A turn by its stage and its number.
type TurnKey = (Stage, u32);

/// The id of a call, unique in its run: providers number theirs anew.
pub fn call_id(at: CallRef) -> String {
    format!("{}-{}-{}", at.stage, at.turn, at.call)
}

/// A call in Inspect's form. Arguments that are no JSON object are kept in words.
pub fn tool_call(call: &ToolCall, at: CallRef) -> Value {
    let mut told = json!({
        "id": call_id(at),
        "function": call.name,
        "arguments": arguments(call),
        "type": "function",
    });
    if serde_json::from_str::<Map<String, Value>>(&call.arguments).is_err() {
        told["parse_error"] = format!("no JSON object: {}", call.arguments).into();
    }
    told
}

/// The arguments of a call as a JSON object; an empty one where they are none.
pub fn arguments(call: &ToolCall) -> Map<String, Value> {
    serde_json::from_str(&call.arguments).unwrap_or_default()
}

/// The text behind a name, or a sentence in its place.
pub fn text(run: &RunReader, content: &Content) -> String {
    run.text(content)
        .unwrap_or_else(|error| format!("[This text cannot be read: {error}]"))
}

impl Conversation {
    /// The conversation of a run.
    pub fn new(run: &RunReader) -> Self {
        let mut conversation = Self::default();
        for (stage, state) in &run.state.stages {
            conversation.stage(run, *stage, state);
        }
        conversation
    }

    /// What the model was asked in a turn, as a range of [`Self::messages`], and its answer.
    pub fn turn(&self, stage: Stage, turn: u32) -> Option<TurnMessages> {
        let begin = *self.begins.get(&stage)?;
        let answer = *self.answers.get(&(stage, turn))?;
        Some(TurnMessages { begin, answer })
    }

    fn push(&mut self, role: &str, id: &str, content: String) {
        self.messages
            .push(json!({ "id": id, "role": role, "content": content }));
    }

    fn stage(&mut self, run: &RunReader, stage: Stage, state: &StageState) {
        self.begins.insert(stage, self.messages.len());
        self.push("system", &format!("{stage}-system"), text(run, &state.system));
        self.push("user", &format!("{stage}-user"), text(run, &state.user));
        for (number, turn) in (0..).zip(&state.turns) {
            let at = |call| CallRef {
                stage,
                turn: number,
                call,
            };
            let calls = (0..).zip(&turn.calls);
            let calls: Vec<Value> = calls.map(|(index, call)| tool_call(call, at(index))).collect();
            self.answers.insert((stage, number), self.messages.len());
            let mut answer = json!({
                "id": format!("{stage}-{number}"),
                "role": "assistant",
                "content": text(run, &turn.text),
                "source": "generate",
            });
            if !calls.is_empty() {
                answer["tool_calls"] = calls.into();
            }
            self.messages.push(answer);
            for (index, result) in &turn.results {
                let id = call_id(at(*index));
                let mut message = json!({
                    "id": format!("{id}-result"),
                    "role": "tool",
                    "content": text(run, &result.observation),
                    "tool_call_id": id,
                    "function": result.tool,
                });
                if !result.ok {
                    message["error"] = json!({ "type": "unknown", "message": "the tool reported an error" });
                }
                self.messages.push(message);
            }
            let review = turn.review.as_ref();
            if let Some(remark) = review.and_then(|review| review.remark.as_ref()) {
                self.push("user", &format!("{stage}-{number}-remark"), text(run, remark));
            }
        }
    }
}

/// The messages of a turn among those of a run.
#[derive(Debug, Clone, Copy)]
pub struct TurnMessages {
    /// The first message that the model was sent; all up to the answer were.
    pub begin: usize,
    pub answer: usize,
}
