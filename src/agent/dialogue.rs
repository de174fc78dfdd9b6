//! A conversation of either form: our own loop's, or a published agent's.

use super::beforehand::ToldBeforehand;
use super::brief::Brief;
use super::conversation::{Conversation, Move};
use super::results::LeftOut;
use super::steps::conversation::StepConversation;
use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::digest::Digest;
use crate::model::chat::ChatRequest;
use crate::tools::contract::Observation;

/// A conversation under way.
#[derive(Debug)]
pub enum Dialogue {
    Turns(Box<Conversation>),
    Steps(Box<StepConversation>),
}

impl Dialogue {
    /// A conversation before its first turn, in the form that its brief asks for.
    pub fn new(brief: Brief) -> Self {
        match brief.dialogue.clone() {
            Some(dialogue) => Self::Steps(Box::new(StepConversation::new(brief, dialogue))),
            None => Self::Turns(Box::new(Conversation::new(brief))),
        }
    }

    /// What has to happen next.
    pub fn next(&self) -> Move {
        match self {
            Self::Turns(turns) => turns.next(),
            Self::Steps(steps) => steps.next(),
        }
    }

    /// The request that [`Move::Ask`] asks for.
    pub fn request(&self) -> ChatRequest {
        match self {
            Self::Turns(turns) => turns.request(),
            Self::Steps(steps) => steps.request(),
        }
    }

    /// Digest of that request.
    pub fn request_digest(&self) -> Digest {
        match self {
            Self::Turns(turns) => turns.request_digest(),
            Self::Steps(steps) => steps.request_digest(),
        }
    }

    /// What was shrunk: it has to be where its paths say before the model is asked.
    pub fn left_out(&self) -> &[LeftOut] {
        match self {
            Self::Turns(turns) => turns.left_out(),
            Self::Steps(_) => &[],
        }
    }

    /// Where the next answer belongs.
    pub fn position(&self) -> Position {
        match self {
            Self::Turns(turns) => turns.position(),
            Self::Steps(steps) => steps.position(),
        }
    }

    /// Turns that are left.
    pub fn turns_left(&self) -> u32 {
        match self {
            Self::Turns(turns) => turns.turns_left(),
            Self::Steps(steps) => steps.turns_left(),
        }
    }

    /// Takes the model's answer in.
    pub fn answered(&mut self, response: &ChatResponse) {
        match self {
            Self::Turns(turns) => turns.answered(response),
            Self::Steps(steps) => steps.answered(response),
        }
    }

    /// Tells of what was done before the first turn.
    pub fn told(&mut self, told: ToldBeforehand) {
        match self {
            Self::Turns(turns) => turns.told(told),
            Self::Steps(steps) => steps.told(told),
        }
    }

    /// Takes back an answer that does not fit the world: the model is told why, and answers again.
    pub fn objected(&mut self, remark: &str) {
        match self {
            Self::Turns(turns) => turns.objected(remark),
            Self::Steps(steps) => steps.objected(remark),
        }
    }

    /// Takes the observation of one call in.
    pub fn observed(&mut self, index: u32, observation: Observation) {
        match self {
            Self::Turns(turns) => turns.observed(index, observation),
            Self::Steps(steps) => steps.observed(observation),
        }
    }

    /// Whether the model is to write the plan for its next attempt.
    pub fn is_reflecting(&self) -> bool {
        match self {
            Self::Turns(_) => false,
            Self::Steps(steps) => steps.is_reflecting(),
        }
    }

    /// Whether another attempt is made where this one submits nothing.
    pub fn has_further_attempt(&self) -> bool {
        match self {
            Self::Turns(_) => false,
            Self::Steps(steps) => steps.has_further_attempt(),
        }
    }

    /// Ends the attempt under way, behind which another is made; our own loop makes none.
    pub fn attempt_over(&mut self, why: &str) {
        if let Self::Steps(steps) = self {
            steps.attempt_over(why);
        }
    }
}
