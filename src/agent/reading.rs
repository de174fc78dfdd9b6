//! Reading of one model answer: calls, an answer that fits its schema, a misfit, or a cut.

use serde_json::Value;

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::fault::AnswerFault;
use crate::catalog::normalise;
use crate::domain::conversation::{ChatResponse, Finish};
use crate::domain::criterion::FixedCriterion;
use crate::domain::lenient_json::{self, LenientError};
use crate::domain::stage::Stage;

use super::answer::{NoAnswer, find_answer};
use super::brief::Brief;
use super::pending_call::PendingCall;
use super::protocol::{self, KnownTools, ParsedCall, Turn};
use super::{words, written};

/// One answer, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Calls to perform.
    Calls {
        calls: Vec<PendingCall>,
        /// Whether they were written as text by a model that can call tools.
        as_text: bool,
        /// Where the model began to make up what the calls would come to.
        invented_at: Option<usize>,
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
        return Reading::Calls {
            calls,
            as_text: false,
            invented_at: protocol::first_observation(&response.text),
        };
    }
    let (turn, invented_at) =
        protocol::parse_with_invention(&response.text, &KnownTools::from_specs(&brief.tools));
    match turn {
        Turn::Calls(calls) => as_text(brief, calls, invented_at),
        Turn::Answer(text) => answer(brief, &text),
        Turn::Truncated => Reading::Cut,
        Turn::Unreadable { reason } => Reading::Silent {
            hint: Some(format!("It holds an action that cannot be read: {reason}.")),
        },
        Turn::Prose => answer(brief, &response.text),
    }
}

fn arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    match lenient_json::parse(text) {
        Ok(parsed) => whole(parsed.value),
        Err(LenientError::Truncated { .. }) => Err("the text ends inside the object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Arguments, unless they repeat what stands in the place of a text.
fn whole(arguments: Value) -> Result<Value, String> {
    match written::repeated_pointer(&arguments) {
        Some(key) => Err(words::pointer_written(key)),
        None => Ok(arguments),
    }
}

fn as_text(brief: &Brief, calls: Vec<ParsedCall>, invented_at: Option<usize>) -> Reading {
    let calls = (0..)
        .zip(calls)
        .map(|(index, call)| PendingCall {
            index,
            id: String::new(),
            tool: call.tool,
            arguments: whole(call.arguments),
        })
        .collect();
    Reading::Calls {
        calls,
        as_text: brief.native_calls,
        invented_at,
    }
}

/// The form of a stage's answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerForm<'a> {
    pub stage: Stage,
    /// The rule that the study fixes for its claim.
    pub criterion: Option<&'a FixedCriterion>,
    /// The schema, where it is not one of replication's.
    pub own_schema: Option<&'a Value>,
}

fn answer(brief: &Brief, text: &str) -> Reading {
    let form = AnswerForm {
        stage: brief.stage,
        criterion: brief.criterion.as_ref(),
        own_schema: brief.own_schema.as_ref().map(|own| own.schema.as_ref()),
    };
    answer_in(form, text)
}

/// Reads the answer in a text.
pub fn answer_in(form: AnswerForm<'_>, text: &str) -> Reading {
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
    let normalised = match form.own_schema {
        Some(schema) => normalise::by_schema(schema, value),
        None => normalise::normalise(form.stage, value),
    };
    match normalised {
        Ok((answer, deviations)) => {
            let faults = shortcomings(form.stage, form.criterion, &answer);
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
pub(super) fn shortcomings(
    stage: Stage,
    criterion: Option<&FixedCriterion>,
    answer: &Value,
) -> Vec<AnswerFault> {
    let read =
        match stage {
            Stage::DESIGN => normalise::read::<ReplicationInfo>(stage, answer.clone())
                .map(|info| info.shortcomings(criterion)),
            Stage::EXECUTE => normalise::read::<ExecutionResults>(stage, answer.clone())
                .map(|results| results.shortcomings()),
            _ => return Vec::new(),
        };
    read.unwrap_or_else(|faults| faults)
}

/// The most faults that one message names.
const MOST_FAULTS: usize = 12;

fn in_words(faults: &[AnswerFault]) -> Vec<String> {
    let mut words: Vec<String> = faults.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
    if faults.len() > MOST_FAULTS {
        words.push(format!("and {} more", faults.len() - MOST_FAULTS));
    }
    words
}
