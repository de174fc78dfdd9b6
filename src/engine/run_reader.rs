//! A run read without being taken: for showing, reporting and scoring.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::artifacts::content;
use crate::artifacts::disk::DiskStore;
use crate::artifacts::store::{Store, StoreError};
use crate::catalog::normalise;
use crate::domain::content::Content;
use crate::domain::probe::ProbeSummary;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::journal::read;
use crate::run::event::Record;
use crate::run::state::State;
use crate::verdict::trace::Output;

use super::error::EngineError;
use super::folder::RunFolder;
use super::request::RunRequest;

/// Everything that a run's folder holds.
pub struct RunReader {
    pub folder: RunFolder,
    pub request: RunRequest,
    pub records: Vec<Record>,
    pub state: State,
    pub store: DiskStore,
    /// Bytes of a torn last line of the journal.
    pub torn: u64,
}

impl RunReader {
    /// Reads the run in a folder; a run under way is read as far as it is.
    ///
    /// # Errors
    /// A folder without a run, or a journal that is damaged before its last line or of a newer format.
    pub fn open(path: &Path) -> Result<Self, EngineError> {
        Self::read(RunFolder::find(path)?)
    }

    /// The same, by the folder's paths.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(folder: RunFolder) -> Result<Self, EngineError> {
        let request = RunRequest::load(&folder.request())?;
        let found = read::read(&folder.journal())?;
        Ok(Self {
            state: State::fold(&found.records)?,
            store: DiskStore::open(&folder.store())?,
            records: found.records,
            torn: found.torn,
            folder,
            request,
        })
    }

    /// The text behind a name.
    ///
    /// # Errors
    /// A text that the store lacks or holds damaged.
    pub fn text(&self, content: &Content) -> Result<String, StoreError> {
        content::load(content, &self.store).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// What probes came to: those made after the run before those of the run itself.
pub fn probes(state: &State, folder: &RunFolder) -> Option<ProbeSummary> {
    std::fs::read(folder.probe())
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .or_else(|| state.probes.summary.clone())
}

/// The claim's statement; empty before a run has begun.
pub fn claim(state: &State) -> &str {
    state
        .started
        .as_ref()
        .map_or("", |started| &started.claim.statement)
}

/// A stage's answer as its type; `None` when the stage has none.
///
/// # Errors
/// An answer that the store lacks, or that no longer fits its type.
pub fn answer<T: DeserializeOwned>(
    state: &State,
    store: &dyn Store,
    stage: Stage,
) -> Result<Option<T>, EngineError> {
    let Some(artifact) = state.stages.get(&stage).and_then(|state| state.artifact()) else {
        return Ok(None);
    };
    let value = serde_json::from_slice(&content::load(artifact, store)?).map_err(|error| {
        EngineError::Unusable(format!(
            "{} in the journal is not JSON: {error}",
            replication::artifact(stage)
        ))
    })?;
    normalise::read(stage, value).map(Some).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        EngineError::Unusable(format!(
            "{} in the journal: {}",
            replication::artifact(stage),
            faults.join("; ")
        ))
    })
}

/// What the successful executions printed.
///
/// # Errors
/// Output that the store lacks or holds damaged.
pub fn outputs(state: &State, store: &dyn Store) -> Result<Output, EngineError> {
    let mut output = Output::default();
    for execution in state.executions.iter() {
        if let Some(finished) = execution
            .finished
            .as_ref()
            .filter(|finished| finished.ending.ok())
        {
            let stdout = content::load(&finished.stdout, store)?;
            output.add(execution.started.id, &String::from_utf8_lossy(&stdout));
        }
    }
    Ok(output)
}
