//! Ids of calls that are theirs alone.

use std::collections::HashSet;

use crate::domain::conversation::Position;
use crate::model::chat::{ChatRequest, Message};

/// Most calls taken from one answer; what a runaway model adds is dropped.
pub const MOST_CALLS: usize = 128;

/// Longest id that is kept.
const LONGEST: usize = 256;

/// The ids given out in a conversation. Some servers give none, or count from
/// zero in every answer, and an answer to a call has to find its call.
#[derive(Debug)]
pub struct CallIds {
    position: Position,
    known: HashSet<String>,
}

impl CallIds {
    /// The ids of the calls so far.
    pub fn new(request: &ChatRequest) -> Self {
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
    pub fn unique(&mut self, given: &str, index: usize) -> String {
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
