//! A task, laid out in the workspace of a run.

use std::path::Path;

use crate::capsule::terms::CapsuleTerms;
use crate::domain::claim::Claim;
use crate::domain::digest::Digest;
use crate::domain::study_kind::Origins;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::notebook::terms::NotebookTerms;
use crate::run::event::FileRecord;
use crate::study::copy::StudyCopy;

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
    /// What reports read of a study; absent of another task.
    pub study_copy: Option<StudyCopy>,
    /// The terms of an attempt at a capsule; absent of another task.
    pub capsule: Option<CapsuleTerms>,
    /// The terms of an attempt at a notebook task; absent of another task.
    pub notebook: Option<NotebookTerms>,
}

/// The way in which the tasks of a track are laid out.
pub trait Staging: Send + Sync {
    /// Lays a task out in an empty or missing workspace.
    ///
    /// # Errors
    /// Where the task is unusable, or the workspace cannot be written.
    fn stage(&self, request: &RunRequest, workspace: &Path) -> Result<StagedTask, EngineError>;
}
