//! The Thought / Action / Answer protocol of models that call no tools, and
//! calls that other models wrote as text.
//!
//! A turn is read by a ladder: the protocol's own form first, then every form
//! that real models were seen to write, each reported as a repair.

mod call;
mod call_error;
mod lines;
mod parsed_call;
mod value;

use serde_json::Value;

use crate::domain::excerpt;
use crate::domain::lenient_json;

use call::Reader;
use call_error::CallError;
use lines::{Marker, MarkerPosition};
pub use parsed_call::{KnownTools, ParsedCall, Repair};

/// Most calls that one turn can make.
pub const MAX_CALLS: usize = 32;

/// A message of the model, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Calls in their order; at least one.
    Calls(Vec<ParsedCall>),
    /// The text behind `Answer:`.
    Answer(String),
    /// Neither an action nor an answer.
    Prose,
    /// The message ends inside a call: to be continued, never run.
    Truncated,
    /// An action that is none of the known forms.
    Unreadable { reason: String },
}

/// Reads a message.
pub fn parse(text: &str, tools: &KnownTools) -> Turn {
    parse_with_invention(text, tools).0
}

/// Where the first line that poses as an observation begins.
pub fn first_observation(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = lines::next_marker(text, at) {
        let MarkerPosition {
            marker,
            start,
            behind,
        } = found;
        if marker == Marker::Observation {
            return Some(start);
        }
        at = behind;
    }
    None
}

/// Reads a message; behind its calls, also where the observation or answer
/// begins that the model made up for them.
pub fn parse_with_invention(text: &str, tools: &KnownTools) -> (Turn, Option<usize>) {
    let mut invented_at = None;
    let turn = read(text, tools, &mut invented_at);
    (turn, invented_at)
}

fn read(text: &str, tools: &KnownTools, invented_at: &mut Option<usize>) -> Turn {
    if text.len() > lenient_json::MAX_BYTES {
        return Turn::Unreadable {
            reason: format!("the message has {} bytes", text.len()),
        };
    }
    let reader = Reader::new(text, tools);
    let mut calls: Vec<ParsedCall> = Vec::new();
    let mut at = 0;
    while let Some(found) = lines::next_marker(text, at) {
        let MarkerPosition {
            marker,
            start,
            behind,
        } = found;
        match marker {
            Marker::Thought => at = behind,
            Marker::Answer if calls.is_empty() => {
                return Turn::Answer(text[behind..].trim().to_owned());
            }
            Marker::Answer | Marker::Observation => {
                if let Some(last) = calls.last_mut() {
                    last.repairs.push(Repair::InventedObservation);
                    *invented_at = Some(start);
                    return Turn::Calls(calls);
                }
                at = behind;
            }
            Marker::Action => match reader.call(behind) {
                Ok((found, end)) => {
                    calls.extend(found);
                    mark_glued_text(text, end, calls.last_mut());
                    if calls.len() >= MAX_CALLS {
                        calls.truncate(MAX_CALLS);
                        break;
                    }
                    at = end.max(start + 1);
                }
                Err(CallError::Prose) => at = behind,
                Err(CallError::Truncated) => return Turn::Truncated,
                // Running the calls that could be read and dropping another
                // would leave the model with a wrong idea of what was done.
                Err(CallError::Unreadable(reason)) => return Turn::Unreadable { reason },
            },
        }
    }
    if calls.is_empty() {
        unmarked(text, &reader, invented_at)
    } else {
        Turn::Calls(calls)
    }
}

/// Writes a call as the protocol asks for it.
pub fn render_call(tool: &str, arguments: &Value) -> String {
    format!("Action: {tool}: {arguments}\nPAUSE")
}

/// Calls of a message that has no marker at all.
fn unmarked(text: &str, reader: &Reader<'_>, invented_at: &mut Option<usize>) -> Turn {
    let mut calls: Vec<ParsedCall> = Vec::new();
    let mut at = 0;
    while let Some(start) = reader.next_unmarked(at) {
        match reader.call(start) {
            Ok((found, end)) => {
                calls.extend(found.into_iter().map(|mut call| {
                    call.repairs.insert(0, Repair::MissingAction);
                    call
                }));
                at = end.max(start + 1);
                let next = lines::next_marker(text, at);
                if let Some(invented) = next.filter(|next| next.marker == Marker::Observation) {
                    *invented_at = Some(invented.start);
                    if let Some(last) = calls.last_mut() {
                        last.repairs.push(Repair::InventedObservation);
                    }
                    break;
                }
                if calls.len() >= MAX_CALLS {
                    calls.truncate(MAX_CALLS);
                    break;
                }
            }
            Err(CallError::Truncated) => return Turn::Truncated,
            Err(CallError::Prose) => at = start + 1,
            Err(CallError::Unreadable(reason)) => return Turn::Unreadable { reason },
        }
    }
    if calls.is_empty() {
        Turn::Prose
    } else {
        Turn::Calls(calls)
    }
}

fn mark_glued_text(text: &str, end: usize, call: Option<&mut ParsedCall>) {
    let line = text[end..].trim_start();
    let line = excerpt::first_line(line);
    let bare = line
        .trim_start_matches("PAUSE")
        .trim_matches(['`', '*', ' ', '.', ')', ';']);
    if !bare.is_empty()
        && lines::marker_of(line).is_none()
        && let Some(call) = call
    {
        call.repairs.push(Repair::GluedText);
    }
}

#[cfg(test)]
mod tests;
