//! What a track adds to the engine: how its tasks are laid out, in what its stages act,
//! and how a run is graded.

use std::path::Path;
use std::sync::Arc;

use crate::artifacts::store::Store;
use crate::domain::claim::Claim;
use crate::domain::digest::Digest;
use crate::domain::study_kind::Origins;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::run::event::{Event, FileRecord};
use crate::run::state::State;

use super::environment::Environment;

/// A task in its workspace, as the first event of a run describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedTask {
    pub id: String,
    pub title: String,
    pub origins: Origins,
    /// Digest over the task's inputs.
    pub digest: Digest,
    /// The claim of a study; of another task, its question as the statement.
    pub claim: Claim,
    /// The data as staged, and one digest over them.
    pub data: Vec<FileRecord>,
    pub data_digest: Digest,
    /// Code that belongs to the task, as staged in the writable folder.
    pub code: Vec<FileRecord>,
    /// What was left out of the workspace, and why.
    pub left_out: Vec<String>,
}

/// A run whose stages are over.
pub struct EndedRun<'a> {
    pub state: &'a State,
    pub store: &'a dyn Store,
    /// The folder of the task, which holds what no agent was shown.
    pub task: &'a Path,
}

/// The code of a track; its stages are data (`stages/tracks/`).
pub trait TrackParts: Send + Sync {
    /// The track's name.
    fn name(&self) -> &str;

    /// Lays a task out in an empty or missing workspace.
    ///
    /// # Errors
    /// Where the task is unusable, or the workspace cannot be written.
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError>;

    /// In what its stages act; `None` where commands are executed one by one.
    fn environment(&self) -> Option<Arc<dyn Environment>> {
        None
    }

    /// The last event of a run: [`Event::RunFinished`] with a verdict, or
    /// [`Event::RunGraded`] with a grade.
    ///
    /// # Errors
    /// Where what the grader needs cannot be read.
    fn grade(&self, run: &EndedRun<'_>) -> Result<Event, EngineError>;
}
