//! Old results of tools, shrunk to a line that says where the whole is.
//!
//! A shrinking makes a provider read again what it had cached, so it is rare: it
//! waits until it saves both a fixed amount and a third of the request, and then
//! takes everything that is old in one go. It follows from the messages alone,
//! as a recording compares them, so that another machine, a resumed run and a
//! replay shrink the same results at the same turn.

use std::sync::Arc;

use crate::model::chat::Message;

use super::results::{Placed, Standing, size_of};
use super::words;

/// The results of this many turns are never shrunk: the model works with them.
pub const FRESH_TURNS: u32 = 2;
/// Bytes of a result that are not worth a pointer.
const SMALL: usize = 800;
/// What a shrinking has to save of the request: one part in this many.
const PART: usize = 3;

/// Bytes that a shrinking saves at least, some 3,000 tokens. Not a share of the
/// model's context: a recording has to replay where the model is not known.
pub const LEAST_SAVING: u64 = 12_000;

/// A result that was shrunk, and where it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Relative to the workspace.
    pub path: String,
    pub text: Arc<str>,
}

/// Shrinks what is old after `turns` answers, if it saves enough; returns what
/// was left out, none where nothing was.
pub fn shrink(
    messages: &mut [Message],
    placed: &mut [Placed],
    turns: u32,
    least: u64,
    place: impl Fn(&Placed) -> String,
) -> Vec<LeftOut> {
    let mut chosen = Vec::new();
    let mut saved = 0;
    for one in placed.iter_mut() {
        if one.standing != Standing::Whole || one.turn + FRESH_TURNS > turns {
            continue;
        }
        let Some(Message::Tool {
            name, text, stable, ..
        }) = messages.get(one.message)
        else {
            continue;
        };
        let (path, told) = (place(one), stable.as_ref().unwrap_or(text));
        let pointer = words::left_out(told, name, one.turn, &path);
        if told.len() < SMALL.max(2 * pointer.len()) {
            continue;
        }
        saved += told.len() - pointer.len();
        chosen.push((one, path, pointer));
    }
    let total: usize = messages.iter().map(size_of).sum();
    if chosen.is_empty() || (saved as u64) < least || saved * PART < total {
        return Vec::new();
    }
    let mut left_out = Vec::with_capacity(chosen.len());
    for (one, path, pointer) in chosen {
        one.standing = Standing::Shrunk;
        if let Some(Message::Tool { text, stable, .. }) = messages.get_mut(one.message) {
            *stable = None;
            let text = std::mem::replace(text, pointer.into());
            left_out.push(LeftOut { path, text });
        }
    }
    left_out
}
