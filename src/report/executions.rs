//! Builds and executions.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::execution::{Ending, Opened, Tier};
use crate::domain::failure::FailureCause;
use crate::domain::ids::ExecutionId;
use crate::domain::stage::Stage;
use crate::domain::usage::is_zero;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::{BuildResult, Event, FileRecord, Record, UnreadFiles};
use crate::run::execution_state::ExecutionState;
use crate::run::state::BuildState;

use super::old_code::RescueView;
use super::text::{Loader, STREAM, Text};

/// One attempt at an environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildView {
    pub stage: Stage,
    pub turn: u32,
    pub digest: Digest,
    pub tier: Tier,
    pub wall_ms: u64,
    pub ready: bool,
    /// True if it had to be built, rather than found ready.
    pub built: bool,
    /// Interpreter versions and the like, by name.
    pub versions: BTreeMap<String, String>,
    pub failure: Option<FailedBuild>,
    /// How it differs from what was asked for, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A build that failed: its cause, and the end of its log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedBuild {
    pub cause: FailureCause,
    pub summary: String,
    pub packages: Vec<String>,
    /// The end of the log.
    pub log: String,
}

impl BuildView {
    pub fn from_state(state: &BuildState) -> Self {
        let (environment, failure) = match &state.result {
            BuildResult::Ready(environment) => (Some(environment), None),
            BuildResult::Failed(failure) => (
                None,
                Some(FailedBuild {
                    cause: failure.cause,
                    summary: failure.summary.clone(),
                    packages: failure.packages.clone(),
                    log: excerpt::last_bytes(&failure.log, STREAM).to_owned(),
                }),
            ),
        };
        Self {
            stage: state.at.stage,
            turn: state.at.turn,
            digest: environment.map_or(state.digest, |environment| environment.id),
            tier: state.tier,
            wall_ms: state.wall_ms,
            ready: environment.is_some(),
            built: environment.is_some_and(|environment| environment.built),
            versions: environment.map_or_else(BTreeMap::new, |environment| environment.versions.clone()),
            failure,
            notes: state.notes.clone(),
        }
    }
}

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandEnding {
    Finished,
    /// The engine's process ended while the command ran.
    Interrupted,
    UnderWay,
}

/// One command, from its start to whatever end it had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionView {
    pub id: ExecutionId,
    pub stage: Stage,
    pub turn: u32,
    /// The entry of the plan, from 0.
    pub entry: u32,
    pub path: WorkspacePath,
    pub command: Vec<String>,
    /// The approval it ran under.
    pub digest: Digest,
    pub started_at: Option<Timestamp>,
    pub became: CommandEnding,
    pub ok: bool,
    pub ending: Option<Ending>,
    /// The end in words.
    pub ended: String,
    pub wall_ms: Option<u64>,
    pub peak_memory: Option<u64>,
    pub stdout: Text,
    pub stderr: Text,
    /// Bytes written to each stream, dropped ones included.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub opened: Opened,
    pub outputs: Vec<FileRecord>,
    /// Outputs that are not among these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub further: u64,
    /// Files that were too large to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<UnreadFiles>,
    pub notes: Vec<String>,
    /// What the table of old code knows of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<RescueView>,
}

impl ExecutionView {
    /// `later` are the executions behind it.
    pub fn new<'a>(
        state: &ExecutionState,
        later: impl Iterator<Item = &'a ExecutionState>,
        started_at: Option<Timestamp>,
        loader: &Loader<'_>,
    ) -> Self {
        let started = &state.started;
        let finished = state.finished.as_ref();
        let became = match (finished, state.interrupted) {
            (Some(_), _) => CommandEnding::Finished,
            (None, true) => CommandEnding::Interrupted,
            (None, false) => CommandEnding::UnderWay,
        };
        let stream = |content, name: &str| {
            loader.text(
                content,
                STREAM,
                &format!("The {name} of execution {}", started.id),
            )
        };
        Self {
            id: started.id,
            stage: started.at.stage,
            turn: started.at.turn,
            entry: started.entry,
            path: started.path.clone(),
            command: started.command.clone(),
            digest: started.digest,
            started_at,
            became,
            ok: finished.is_some_and(|finished| finished.ending.ok()),
            ending: finished.map(|finished| finished.ending),
            ended: ended(became, state.left, finished.map(|finished| finished.ending)),
            wall_ms: finished.map(|finished| finished.wall_ms),
            peak_memory: finished.and_then(|finished| finished.peak_memory),
            stdout: finished.map_or_else(Text::default, |done| stream(&done.stdout, "standard output")),
            stderr: finished.map_or_else(Text::default, |done| stream(&done.stderr, "standard error")),
            stdout_bytes: finished.map_or(0, |finished| finished.stdout_bytes),
            stderr_bytes: finished.map_or(0, |finished| finished.stderr_bytes),
            opened: finished.map_or_else(Opened::default, |finished| finished.opened.clone()),
            outputs: finished.map_or_else(Vec::new, |finished| finished.outputs.clone()),
            further: finished
                .and_then(|done| done.further.as_ref())
                .map_or(0, |more| more.count),
            unread: finished.and_then(|finished| finished.unread.clone()),
            notes: finished.map_or_else(Vec::new, |finished| finished.notes.clone()),
            rescue: RescueView::new(state, later, loader),
        }
    }
}

fn ended(became: CommandEnding, left: bool, ending: Option<Ending>) -> String {
    match (became, ending) {
        (CommandEnding::Interrupted, _) if left => "ended early: the caller stopped waiting".to_owned(),
        (CommandEnding::Interrupted, _) => "interrupted: the engine's process ended first".to_owned(),
        (_, None) => "under way".to_owned(),
        (_, Some(Ending::Exited(0))) => "finished (exit status 0)".to_owned(),
        (_, Some(Ending::Exited(status))) => format!("ended with exit status {status}"),
        (_, Some(Ending::Signalled(signal))) => format!("ended by signal {signal}"),
        (_, Some(Ending::TimedOut)) => "stopped at its time limit".to_owned(),
        (_, Some(Ending::OutOfMemory)) => "stopped at its memory limit".to_owned(),
        (_, Some(Ending::Cancelled)) => "stopped because the run was cancelled".to_owned(),
    }
}

/// When each execution started.
pub fn starts(records: &[Record]) -> BTreeMap<ExecutionId, Timestamp> {
    records
        .iter()
        .filter_map(|record| match &record.event {
            Event::ExecutionStarted(started) => Some((started.id, record.at)),
            _ => None,
        })
        .collect()
}
