//! Old results of tools and old texts of calls, shrunk to a line that says where
//! the whole is.
//!
//! What stands behind the first change has to be read again by a provider that
//! had it cached, once; what is saved is saved in every later turn. So a
//! shrinking begins where that pays best, and waits until it saves a fixed
//! amount. It follows from the messages alone, as a recording compares them, so
//! that another machine, a resumed run and a replay shrink the same at the same
//! turn.

use crate::model::chat::Message;

use super::protocol::KnownTools;
use super::results::{LeftOut, Part, Placed, Standing, size_of};
use super::words;
use super::written::{self, SMALL};

/// What stands in this many turns is never shrunk: the model works with it.
pub const FRESH_TURNS: u32 = 2;
/// What a byte that is saved is worth beside one that is read again, in halves.
/// A cached token costs a tenth, and what is saved is saved in every turn that is
/// left. From one to three the price of the runs in `docs/economy.md` hardly
/// changes, and the more it is, the fewer tokens they repeat.
const WORTH: usize = 3;

/// Bytes that a shrinking saves at least, some 1,000 tokens. Not a share of the
/// model's context: a recording has to replay where the model is not known.
pub const LEAST_SAVING: u64 = 4_000;

/// What a shrinking goes by.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    /// Bytes that it saves at least.
    pub least: u64,
    /// The folder and the beginning of the names of what is left out.
    pub place: &'a str,
    pub tools: &'a KnownTools,
}

/// Shrinks what is old after `turns` answers, if it saves enough; returns what
/// was left out, none where nothing was.
pub fn shrink(messages: &mut [Message], placed: &mut [Placed], turns: u32, rule: Rule<'_>) -> Vec<LeftOut> {
    let Some(first) = beginning(messages, placed, turns, rule) else {
        return Vec::new();
    };
    let mut left_out = Vec::new();
    for one in placed
        .iter_mut()
        .filter(|one| one.message >= first && is_old(one, turns))
    {
        let Some(message) = messages.get_mut(one.message) else {
            continue;
        };
        if let Some((shorter, texts)) = shortened(message, one, rule) {
            *message = shorter;
            one.standing = Standing::Shrunk;
            left_out.extend(texts);
        }
    }
    left_out
}

/// The first message that shrinks.
fn beginning(messages: &[Message], placed: &[Placed], turns: u32, rule: Rule<'_>) -> Option<usize> {
    let mut best = None;
    let (mut saved, mut behind, mut counted) = (0, 0, messages.len());
    let mut old: Vec<&Placed> = placed.iter().filter(|one| is_old(one, turns)).collect();
    old.sort_by_key(|one| one.message);
    for one in old.into_iter().rev() {
        let Some(message) = messages.get(one.message) else {
            continue;
        };
        let Some((shorter, _)) = shortened(message, one, rule) else {
            continue;
        };
        saved += size_of(message).saturating_sub(size_of(&shorter));
        while counted > one.message {
            counted -= 1;
            behind += size_of(&messages[counted]);
        }
        let read_again = behind.saturating_sub(saved);
        let gain = (saved * WORTH).saturating_sub(2 * read_again);
        if gain > 0 && saved as u64 >= rule.least && best.is_none_or(|(most, _)| gain >= most) {
            best = Some((gain, one.message));
        }
    }
    best.map(|(_, first)| first)
}

fn is_old(one: &Placed, turns: u32) -> bool {
    one.standing == Standing::Whole && one.turn + FRESH_TURNS <= turns
}

/// A message with one of its parts as a pointer; `None` where that is not worth it.
fn shortened(message: &Message, one: &Placed, rule: Rule<'_>) -> Option<(Message, Vec<LeftOut>)> {
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
