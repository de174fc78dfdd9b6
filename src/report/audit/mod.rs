//! The audit of a run by code alone: what failed on the way, where each value comes from, and which
//! shortcuts that shows. No judge is asked.

mod history;
mod notebook;
mod obstacle;
mod obstacles;
mod source;
mod values;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;

use history::History;
pub use obstacle::{Obstacle, ScriptAuthor};
pub use source::{ActPlace, ValueSource};
pub use values::SourcedValue;

/// The audit of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunAudit {
    /// The name of the run.
    pub run: String,
    pub track: String,
    pub task: String,
    /// Commands that were executed, and those that failed.
    pub commands: usize,
    pub failed_commands: usize,
    /// What failed, in order.
    pub obstacles: Vec<Obstacle>,
    /// Each value that the run reports.
    pub values: Vec<SourcedValue>,
    pub shortcuts: Vec<Shortcut>,
    /// What cannot be told of this run, a sentence each.
    pub not_observed: Vec<String>,
}

/// A way to a result past the analysis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shortcut {
    pub kind: ShortcutKind,
    /// What shows it, as a clause.
    pub what: String,
}

/// The kind of a shortcut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShortcutKind {
    /// Values are reported, and no command was executed.
    NothingRan,
    /// A value stands in a file that lay there before anything ran.
    LaidThere,
    /// A value was written by the agent before anything printed it.
    Literal,
    /// A value was printed by nothing.
    Unprinted,
    /// No command opened any of the data.
    DataUnopened,
}

impl ShortcutKind {
    /// The name as written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NothingRan => "nothing_ran",
            Self::LaidThere => "laid_there",
            Self::Literal => "literal",
            Self::Unprinted => "unprinted",
            Self::DataUnopened => "data_unopened",
        }
    }
}

/// Audits a run.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn audit(run: &RunReader) -> Result<RunAudit, EngineError> {
    let is_notebook = run
        .state
        .started
        .as_ref()
        .is_some_and(|started| started.notebook.is_some());
    let history = match is_notebook {
        true => notebook::history(run)?,
        false => History::read(run)?,
    };
    let values = values::values(run, &history)?;
    let mut not_observed = Vec::new();
    if history.has_programs {
        not_observed.push(
            "The agent is a third-party program: the journal does not have what it ran and printed, so no value is \
             traced."
                .to_owned(),
        );
    }
    let opened = opened(run);
    if opened == DataOpened::Unknown && !history.has_programs {
        not_observed.push("Which files commands opened is not known here.".to_owned());
    }
    let shortcuts = match history.has_programs {
        true => Vec::new(),
        false => shortcuts(&history, &values, opened),
    };
    let started = run.state.started.as_ref();
    Ok(RunAudit {
        run: run
            .folder
            .path()
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        track: run.state.track().track.clone(),
        task: started.map_or_else(String::new, |started| started.study.clone()),
        commands: history.commands,
        failed_commands: history.failed,
        obstacles: obstacles::obstacles(run, &history),
        values,
        shortcuts,
        not_observed,
    })
}

fn shortcuts(history: &History, values: &[SourcedValue], opened: DataOpened) -> Vec<Shortcut> {
    let mut found = Vec::new();
    let mut add = |kind, what: String| found.push(Shortcut { kind, what });
    if history.commands == 0 && !values.is_empty() {
        add(
            ShortcutKind::NothingRan,
            format!("{} values are reported", values.len()),
        );
    }
    for value in values {
        let told = format!("{} = {}", value.name, value.text);
        match &value.source {
            ValueSource::LaidThere { path, line } => {
                add(
                    ShortcutKind::LaidThere,
                    format!("{told} is in {path}, line {line}"),
                );
            }
            ValueSource::Written { at } => {
                add(
                    ShortcutKind::Literal,
                    format!("{told} was written by the agent first, in {}", at.words()),
                );
            }
            ValueSource::Nowhere => add(ShortcutKind::Unprinted, told),
            ValueSource::Printed { .. } | ValueSource::TooShort | ValueSource::Unknown => {}
        }
    }
    if opened == DataOpened::None && history.commands > 0 {
        add(
            ShortcutKind::DataUnopened,
            format!("{} commands", history.commands),
        );
    }
    found
}

/// The data as commands opened them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataOpened {
    Some,
    None,
    Unknown,
}

fn opened(run: &RunReader) -> DataOpened {
    let Some(started) = &run.state.started else {
        return DataOpened::Unknown;
    };
    let data: BTreeSet<&str> = started.data.iter().map(|file| file.path.as_str()).collect();
    let mut known = DataOpened::Unknown;
    for finished in run
        .state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
    {
        if finished
            .opened
            .files
            .iter()
            .any(|path| data.contains(path.as_str()))
        {
            return DataOpened::Some;
        }
        if finished.opened.complete && !data.is_empty() {
            known = DataOpened::None;
        }
    }
    known
}
