//! What one answer of the model amounts to.

use serde_json::Value;

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::fault::Fault;
use crate::catalog::normalise;
use crate::domain::conversation::{ChatResponse, Finish};
use crate::domain::lenient_json::{self, LenientError};
use crate::domain::stage::Stage;

use super::answer::{NoAnswer, find_answer};
use super::brief::Brief;
use super::conversation::PendingCall;
use super::protocol::{self, KnownTools, ParsedCall, Turn};

/// One answer, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Calls to perform; the remark follows their observations.
    Calls {
        calls: Vec<PendingCall>,
        remark: Option<String>,
    },
    /// An answer that fits its schema, with what was accepted on the way.
    Answer {
        answer: Value,
        deviations: Vec<String>,
    },
    /// An answer that does not.
    Misfit {
        faults: Vec<String>,
    },
    /// The output limit cut it.
    Cut,
    /// Neither a call nor an answer; the hint says what was seen instead.
    Silent {
        hint: Option<String>,
    },
    Refused,
}

/// Said once to a model that wrote a call as text although it can call tools.
const WRITTEN_AS_TEXT: &str = "You wrote this call as text. It was performed; \
    call tools through the interface for tool calls from here on.";

/// Reads an answer.
pub fn read(brief: &Brief, response: &ChatResponse) -> Reading {
    match response.finish {
        Finish::Length => return Reading::Cut,
        Finish::Refused => return Reading::Refused,
        Finish::Stop => {}
    }
    if brief.native_calls && !response.calls.is_empty() {
        let calls = (0..)
            .zip(&response.calls)
            .map(|(index, call)| PendingCall {
                index,
                id: call.id.clone(),
                tool: call.name.clone(),
                arguments: arguments(&call.arguments),
            })
            .collect();
        return Reading::Calls { calls, remark: None };
    }
    match protocol::parse(&response.text, &KnownTools::of(&brief.tools)) {
        Turn::Calls(calls) => written(brief, calls),
        Turn::Answer(text) => answer(brief.stage, &text),
        Turn::Truncated => Reading::Cut,
        Turn::Unreadable { reason } => Reading::Silent {
            hint: Some(format!("It holds an action that cannot be read: {reason}.")),
        },
        Turn::Prose => answer(brief.stage, &response.text),
    }
}

fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    match lenient_json::parse(text) {
        Ok(parsed) => Ok(parsed.value),
        Err(LenientError::Truncated { .. }) => Err("the text ends inside the object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn written(brief: &Brief, calls: Vec<ParsedCall>) -> Reading {
    let mut remarks: Vec<String> = Vec::new();
    if brief.native_calls {
        remarks.push(WRITTEN_AS_TEXT.to_owned());
    }
    let invented = calls.iter().any(|call| {
        call.repairs
            .iter()
            .any(|repair| matches!(repair, protocol::Repair::InventedObservation))
    });
    if invented {
        remarks.push(
            "Your message went on behind the call with an observation of its own making. That part was \
             dropped: stop after the action and wait for the real one."
                .to_owned(),
        );
    }
    let calls = (0..)
        .zip(calls)
        .map(|(index, call)| PendingCall {
            index,
            id: String::new(),
            tool: call.tool,
            arguments: Ok(call.arguments),
        })
        .collect();
    Reading::Calls {
        calls,
        remark: (!remarks.is_empty()).then(|| remarks.join(" ")),
    }
}

fn answer(stage: Stage, text: &str) -> Reading {
    let (value, repairs) = match find_answer(text) {
        Ok(found) => found,
        Err(NoAnswer::Missing) => return Reading::Silent { hint: None },
        Err(NoAnswer::Truncated) => return Reading::Cut,
        Err(NoAnswer::Broken(error)) => {
            return Reading::Misfit {
                faults: vec![format!("the answer is not valid JSON: {error}")],
            };
        }
    };
    match normalise::normalise(stage, value) {
        Ok((answer, deviations)) => {
            let faults = shortcomings(stage, &answer);
            if !faults.is_empty() {
                return Reading::Misfit {
                    faults: in_words(&faults),
                };
            }
            let deviations = repairs
                .iter()
                .map(ToString::to_string)
                .chain(
                    deviations
                        .iter()
                        .map(|deviation| format!("{}: {}", deviation.path, deviation.note)),
                )
                .collect();
            Reading::Answer { answer, deviations }
        }
        Err(faults) => Reading::Misfit {
            faults: in_words(&faults),
        },
    }
}

/// What the schema leaves open and this stage needs.
fn shortcomings(stage: Stage, answer: &Value) -> Vec<Fault> {
    if stage != Stage::Design {
        return Vec::new();
    }
    match normalise::read::<ReplicationInfo>(stage, answer.clone()) {
        Ok(info) => info.shortcomings(),
        Err(faults) => faults,
    }
}

/// The most faults that one message names.
const MOST_FAULTS: usize = 12;

fn in_words(faults: &[Fault]) -> Vec<String> {
    let mut words: Vec<String> = faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
    if faults.len() > MOST_FAULTS {
        words.push(format!("and {} more", faults.len() - MOST_FAULTS));
    }
    words
}
