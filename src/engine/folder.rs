//! The paths in a run's folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::domain::ids::RunId;
use crate::journal::signature;

use super::error::EngineError;

/// A run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder(PathBuf);

impl RunFolder {
    /// The folder at `path`, made absolute so that it survives a change of directory.
    ///
    /// # Errors
    /// A current directory that cannot be told.
    pub fn at(path: &Path) -> Result<Self, EngineError> {
        let path = std::path::absolute(path).map_err(|error| EngineError::io(path, error))?;
        Ok(Self(path))
    }

    /// The folder at `path`, which is there.
    ///
    /// # Errors
    /// A path that is not a folder.
    pub fn find(path: &Path) -> Result<Self, EngineError> {
        match path.is_dir() {
            true => Self::at(path),
            false => Err(EngineError::Unusable(format!(
                "{} is not a folder: name a run's folder",
                path.display()
            ))),
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The run as sandboxes know it. What a copy of the folder starts there is its own, and neither finds nor ends what
    /// the original has started; a folder that was only renamed is the same.
    pub fn owner(&self, run: &RunId) -> RunId {
        match fs::metadata(&self.0) {
            Ok(found) => run.in_folder(&format!("{:x}-{:x}", found.dev(), found.ino())),
            Err(_) => run.clone(),
        }
    }

    /// How the run was asked for.
    pub fn request(&self) -> PathBuf {
        self.0.join("run.json")
    }

    pub fn journal(&self) -> PathBuf {
        self.0.join("journal.jsonl")
    }

    /// Signatures of decisions and of the end, where a key was given.
    pub fn signatures(&self) -> PathBuf {
        signature::file::beside(&self.journal())
    }

    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Holds the content-addressed store.
    pub fn store(&self) -> PathBuf {
        self.0.clone()
    }

    /// The agent's world.
    pub fn workspace(&self) -> PathBuf {
        self.0.join("workspace")
    }

    /// The stages' answers and the engine's raw execution result.
    pub fn artifacts(&self) -> PathBuf {
        self.0.join("artifacts")
    }

    /// Raw output streams while a command runs.
    pub fn streams(&self) -> PathBuf {
        self.0.join("streams")
    }

    /// Half-written files; whatever a dead process left here is nobody's.
    pub fn partial(&self) -> PathBuf {
        self.0.join("partial")
    }

    /// Ado-files of locks, which the Stata of executions is shown.
    pub fn ado(&self) -> PathBuf {
        self.0.join("ado")
    }

    /// Copies of the workspace in which approved code runs again; gone afterwards.
    pub fn probes(&self) -> PathBuf {
        self.0.join("probes")
    }

    /// The copy of the workspace in which a variant runs; gone afterwards.
    pub fn variant(&self) -> PathBuf {
        self.0.join("variant")
    }

    /// The copy of the workspace that the program of a stage works on.
    pub fn program(&self) -> PathBuf {
        self.0.join("program")
    }

    /// What probes of a finished run came to.
    pub fn probe(&self) -> PathBuf {
        self.0.join("probe.json")
    }

    pub fn report(&self, extension: &str) -> PathBuf {
        self.0.join(format!("report.{extension}"))
    }

    /// A copy of the paper in which what was extracted from it is marked.
    pub fn marked_paper(&self) -> PathBuf {
        self.0.join("original_paper.marked.pdf")
    }

    pub fn scores(&self) -> PathBuf {
        self.0.join("scores.json")
    }
}
