//! Results and written texts in a conversation, and pointers for those that it holds already.

use std::sync::Arc;

use crate::domain::digest::Digest;
use crate::model::chat::Message;
use crate::tools::contract::Observation;

use super::words;

/// Tools whose results are the same text as long as what they look at is the same.
const LOOKING: [&str; 5] = [
    "fetch_page",
    "inspect_data",
    "list_files",
    "read_file",
    "search_files",
];
/// Bytes of a result that is told again rather than pointed to.
const SHORT: usize = 400;

/// The form in which a result stands in the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStanding {
    Whole,
    /// As a pointer to where it stands whole.
    Pointer,
    /// As a pointer to the file that has the whole.
    Shrunk,
}

/// The part of a conversation that is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What a tool gave.
    Result,
    /// What the model wrote into a file, in the arguments of its call.
    Written,
}

/// A result, or a text that was written, and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    pub part: Part,
    /// Index of its message.
    pub message: usize,
    /// The model's turn, from 1.
    pub turn: u32,
    /// The call within the turn, from 0.
    pub call: u32,
    /// Digest of the text that the tool gave; of a written one without space at its ends.
    pub digest: Digest,
    pub standing: ResultStanding,
}

/// A text that was shrunk, and where it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the workspace.
    pub path: String,
    pub text: Arc<str>,
}

/// What a conversation says already of a result that came again: the text to
/// send in its place, or `None` where it has to be told in full.
///
/// Equal text is the whole test, so a file that changed, or a result that was
/// shrunk since, is told again.
pub fn pointer(tool: &str, observation: &Observation, opening: &str, placed: &[Placed]) -> Option<String> {
    let text = &observation.text;
    if !LOOKING.contains(&tool) || !observation.ok || observation.stable.is_some() || text.len() < SHORT {
        return None;
    }
    let digest = Digest::compute(text);
    let earlier = |part: Part, digest: Digest| {
        let mut whole = placed
            .iter()
            .rev()
            .filter(|one| one.standing == ResultStanding::Whole);
        whole.find(|one| one.part == part && one.digest == digest)
    };
    if let Some(earlier) = earlier(Part::Result, digest) {
        return Some(words::unchanged(text, Some(earlier.turn)));
    }
    let body = words::parts(text).1.trim();
    if let Some(written) = earlier(Part::Written, Digest::compute(body)) {
        return Some(words::as_written(text, written.turn));
    }
    (body.len() >= SHORT && opening.contains(body)).then(|| words::unchanged(text, None))
}

/// The text that a recording compares.
pub fn compared(message: &Message) -> &str {
    match message {
        Message::System { text }
        | Message::User { text }
        | Message::Pictured { text, .. }
        | Message::Assistant { text, .. } => text,
        Message::Tool { text, stable, .. } => stable.as_ref().unwrap_or(text),
    }
}

/// Bytes of a message, with its calls.
pub fn size_of(message: &Message) -> usize {
    let calls = match message {
        Message::Assistant { calls, .. } => calls
            .iter()
            .map(|call| call.name.len() + call.arguments.len())
            .sum(),
        _ => 0,
    };
    compared(message).len() + calls
}
