//! The grader of a track, which speaks when the stages are over.

use std::path::Path;

use crate::artifacts::store::Store;
use crate::domain::grade::{GradedPart, OtherCount, OtherScore};
use crate::domain::verdict::Verdict;
use crate::engine::error::EngineError;
use crate::run::state::State;

/// A run whose stages are over.
pub struct EndedRun<'a> {
    pub state: &'a State,
    pub store: &'a dyn Store,
    /// The folder of the task, which holds what no agent was shown.
    pub task: &'a Path,
}

/// The word of a grader on a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// On a claim.
    Verdict(Box<Verdict>),
    /// On each thing that was asked for, with what other graders count.
    Parts {
        parts: Vec<GradedPart>,
        others: Vec<OtherCount>,
        also: Vec<OtherScore>,
    },
}

/// Says how well a task was done.
pub trait Grader: Send + Sync {
    /// The name that a track's definition chooses it by.
    fn name(&self) -> &str;

    /// The judgement on a run.
    ///
    /// # Errors
    /// Where what the grader needs cannot be read.
    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError>;
}
