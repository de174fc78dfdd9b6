//! Questions and answers: what may happen, by content.

use std::collections::BTreeMap;

use crate::domain::digest::Digest;
use crate::domain::ids::ApprovalId;

use super::event::{Asked, Decided};

/// Every question of a run with its answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateState {
    asked: BTreeMap<ApprovalId, Asked>,
    decided: BTreeMap<ApprovalId, Decided>,
}

impl GateState {
    /// Notes a question.
    pub fn ask(&mut self, asked: Asked) {
        self.asked.insert(asked.id, asked);
    }

    /// Notes an answer; false when no such question was asked for that content.
    pub fn decide(&mut self, decided: Decided) -> bool {
        let known = self
            .asked
            .get(&decided.id)
            .is_some_and(|asked| asked.digest == decided.digest);
        if known {
            self.decided.insert(decided.id, decided);
        }
        known
    }

    /// The standing decision for exactly this content: the latest one.
    pub fn decision(&self, digest: Digest) -> Option<&Decided> {
        self.decided
            .values()
            .rev()
            .find(|decided| decided.digest == digest)
    }

    /// The latest question about exactly this content that has no answer.
    pub fn open_question(&self, digest: Digest) -> Option<&Asked> {
        self.asked
            .values()
            .rev()
            .find(|asked| asked.digest == digest && !self.decided.contains_key(&asked.id))
    }

    /// Questions with their answers, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (&Asked, Option<&Decided>)> {
        self.asked
            .values()
            .map(|asked| (asked, self.decided.get(&asked.id)))
    }

    /// The id of the next question.
    pub fn next_id(&self) -> ApprovalId {
        ApprovalId(
            self.asked
                .keys()
                .next_back()
                .map_or(1, |id| id.0.saturating_add(1)),
        )
    }
}
