//! A run that is exported, and the names that it has beside others.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::analysis::bench::cell::BenchCell;
use crate::domain::mode::Setting;
use crate::engine::run_reader::RunReader;
use crate::report::capsule::from_runs;
use crate::run::decide::failed_stage;
use crate::run::event::RunStarted;

/// A run with its names.
pub struct ExportedRun<'a> {
    pub run: &'a RunReader,
    pub started: &'a RunStarted,
    /// Its place in a bench; absent of a run of its own.
    pub cell: Option<&'a BenchCell>,
    /// The name of the agent in the bench, else its model.
    pub agent: String,
    /// The study, the capsule or another task.
    pub task: String,
    /// What distinguishes it from other attempts of its agent at its task, such as `native` or
    /// `hard`, and the arms of a bench.
    pub variant: String,
    /// Counted from 1 among those that are alike in all of these.
    pub repeat: u32,
}

/// The standing of an exported run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportStanding {
    /// It came to its end.
    Finished,
    /// It ended early, or cannot go on without somebody.
    Failed,
    /// It is under way, or waits.
    Open,
}

impl ExportStanding {
    /// The word as it is written in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Open => "open",
        }
    }
}

impl ExportedRun<'_> {
    /// The kind of its task: the track's name.
    pub fn track(&self) -> &str {
        &self.started.settings.track().track
    }

    /// Its task with what distinguishes it from others.
    pub fn sample(&self) -> String {
        // It names a file in archives.
        format!("{} ({})", self.task, self.variant).replace(['/', '\\'], "-")
    }

    /// Its place between its beginning and its end.
    pub fn standing(&self) -> ExportStanding {
        let state = &self.run.state;
        if failed_stage(state).is_some() {
            ExportStanding::Failed
        } else if state.is_finished() {
            ExportStanding::Finished
        } else {
            ExportStanding::Open
        }
    }

    /// The time of its first event.
    pub fn first_event(&self) -> Option<Timestamp> {
        self.run.records.first().map(|record| record.at)
    }

    /// The time of its last event.
    pub fn last_event(&self) -> Option<Timestamp> {
        self.run.records.last().map(|record| record.at)
    }
}

/// Names runs, each with the cell of a bench that it is, where its folder is that of one. A run that
/// has not begun is left out.
pub fn named<'a>(runs: &'a [RunReader], cells: &'a BTreeMap<PathBuf, BenchCell>) -> Vec<ExportedRun<'a>> {
    let mut repeats = BTreeMap::<String, u32>::new();
    let mut named = Vec::new();
    for run in runs {
        let Some(started) = &run.state.started else {
            continue;
        };
        let cell = cells.get(run.folder.path());
        let agent = cell.map_or_else(|| from_runs::agent(run), |cell| cell.agent.clone());
        let task = started
            .capsule
            .as_ref()
            .map_or_else(|| started.study.clone(), |terms| terms.id.to_string());
        let variant = variant(started, cell);
        let counted = repeats.entry(format!("{agent}\n{task}\n{variant}")).or_default();
        *counted += 1;
        let repeat = *counted;
        named.push(ExportedRun {
            run,
            started,
            cell,
            agent,
            task,
            variant,
            repeat,
        });
    }
    named
}

fn variant(started: &RunStarted, cell: Option<&BenchCell>) -> String {
    let settings = &started.settings;
    let mut parts = match &started.capsule {
        Some(terms) => vec![terms.level.to_string()],
        None if settings.track().is_replication() => {
            vec![
                Setting::new(settings.code_mode, settings.code_access)
                    .name()
                    .to_owned(),
            ]
        }
        None => vec![settings.track().track.clone()],
    };
    // Those of which it is told already.
    let told = ["level", "code-mode", "code-access"];
    let arms = cell.iter().flat_map(|cell| &cell.arm);
    let arms = arms.filter(|(setting, _)| !told.contains(&setting.as_str()));
    parts.extend(arms.map(|(setting, value)| format!("{setting} = {value}")));
    parts.join(", ")
}
