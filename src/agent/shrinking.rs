//! Old results of tools and old texts of calls, shrunk to a line that says where
//! the whole is.
//!
//! What stands behind the first change has to be read again by a provider that
//! had it cached, once; what is saved is saved in every later turn. So a
//! shrinking begins where that pays best, and waits until it saves a fixed
//! amount. It follows from the messages alone, as a recording compares them, so
//! that another machine, a resumed run and a replay shrink the same at the same
//! turn.

use std::collections::BTreeMap;

use crate::model::chat::Message;

use super::protocol::KnownTools;
use super::results::{LeftOut, Part, Placed, ResultStanding, size_of};
use super::words;
use super::written::{self, SMALL};

/// What stands in this many turns is never shrunk: the model works with it.
pub const FRESH_TURNS: u32 = 2;
/// What a byte that is saved is worth beside one that is read again, in halves.
/// A cached token costs a tenth, and what is saved is saved in every turn that is
/// left. From one to three the price of the runs in `docs/measurements.md` hardly
/// changes, and the more it is, the fewer tokens they repeat.
const WORTH: usize = 3;

/// Bytes that a shrinking saves at least, some 1,000 tokens. Not a share of the
/// model's context: a recording has to replay where the model is not known.
pub const LEAST_SAVING: u64 = 4_000;

/// Bytes of a conversation below which nothing is shrunk, some 60,000 tokens: the model
/// would read again what it still needs, and the cached beginning would break.
pub const LEAST_CONVERSATION: u64 = 240_000;

/// The parameters of a shrinking.
#[derive(Debug, Clone, Copy)]
pub struct ShrinkingRule<'a> {
    /// Bytes that it saves at least.
    pub least: u64,
    /// Bytes of the conversation below which nothing is shrunk.
    pub from: u64,
    /// The folder and the beginning of the names of what is left out.
    pub place: &'a str,
    pub tools: &'a KnownTools,
}

/// Shrinks what is old after `turns` answers, if it saves enough; returns what
/// was left out, none where nothing was.
pub fn shrink(
    messages: &mut [Message],
    placed: &mut [Placed],
    turns: u32,
    rule: ShrinkingRule<'_>,
) -> Vec<LeftOut> {
    if (messages.iter().map(size_of).sum::<usize>() as u64) < rule.from {
        return Vec::new();
    }
    let mut shorter = shorter(messages, placed, turns, rule);
    let Some(first) = beginning(messages, &shorter, rule.least) else {
        return Vec::new();
    };
    let mut left_out = Vec::new();
    for (at, one) in shorter.split_off(&first) {
        if let Some(message) = messages.get_mut(at) {
            *message = one.message;
        }
        for (index, texts) in one.parts {
            if let Some(part) = placed.get_mut(index) {
                part.standing = ResultStanding::Shrunk;
            }
            left_out.extend(texts);
        }
    }
    left_out
}

/// A message with its old parts as pointers.
struct Shorter {
    message: Message,
    /// Each part by its index among what is placed, with what it leaves out.
    parts: Vec<(usize, Vec<LeftOut>)>,
}

/// The messages that would be shorter, by their index.
fn shorter(
    messages: &[Message],
    placed: &[Placed],
    turns: u32,
    rule: ShrinkingRule<'_>,
) -> BTreeMap<usize, Shorter> {
    let mut shorter: BTreeMap<usize, Shorter> = BTreeMap::new();
    for (index, one) in placed.iter().enumerate().filter(|(_, one)| is_old(one, turns)) {
        // A message that makes several calls has several parts.
        let so_far = shorter.get(&one.message).map(|shorter| &shorter.message);
        let message = so_far.or_else(|| messages.get(one.message));
        let Some((message, texts)) = message.and_then(|message| shortened(message, one, rule)) else {
            continue;
        };
        let before = shorter.remove(&one.message);
        let mut parts = before.map(|before| before.parts).unwrap_or_default();
        parts.push((index, texts));
        shorter.insert(one.message, Shorter { message, parts });
    }
    shorter
}

/// The first message that shrinks.
fn beginning(messages: &[Message], shorter: &BTreeMap<usize, Shorter>, least: u64) -> Option<usize> {
    let mut best = None;
    let (mut saved, mut behind, mut counted) = (0, 0, messages.len());
    for (&at, one) in shorter.iter().rev() {
        while counted > at {
            counted -= 1;
            behind += size_of(&messages[counted]);
        }
        saved += size_of(&messages[at]).saturating_sub(size_of(&one.message));
        let read_again = behind.saturating_sub(saved);
        let gain = (saved * WORTH).saturating_sub(2 * read_again);
        if gain > 0 && saved as u64 >= least && best.is_none_or(|(most, _)| gain >= most) {
            best = Some((gain, at));
        }
    }
    best.map(|(_, first)| first)
}

fn is_old(one: &Placed, turns: u32) -> bool {
    one.standing == ResultStanding::Whole && one.turn + FRESH_TURNS <= turns
}

/// A message with one of its parts as a pointer; `None` where that is not worth it.
fn shortened(message: &Message, one: &Placed, rule: ShrinkingRule<'_>) -> Option<(Message, Vec<LeftOut>)> {
    let place = format!("{}-{}-{}", rule.place, one.turn, one.call + 1);
    match (one.part, message) {
        (Part::Written, _) => {
            let place = |key: &str| format!("{place}-{key}.txt");
            written::shortened(message, one.call as usize, rule.tools, place)
        }
        (
            Part::Result,
            Message::Tool {
                call,
                name,
                text,
                stable,
            },
        ) => {
            let path = format!("{place}.txt");
            let told = stable.as_ref().unwrap_or(text);
            let pointer = words::left_out(told, name, one.turn, &path);
            if told.len() < SMALL.max(2 * pointer.len()) {
                return None;
            }
            let shorter = Message::Tool {
                call: call.clone(),
                name: name.clone(),
                text: pointer.into(),
                stable: None,
            };
            let text = text.clone();
            Some((shorter, vec![LeftOut { path, text }]))
        }
        _ => None,
    }
}
