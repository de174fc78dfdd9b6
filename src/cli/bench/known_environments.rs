//! The environments of a cell that are known before it runs.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::cell_plan::PlannedCell;
use crate::agent::answer::find_answer;
use crate::analysis::bench::cell::TaskKind;
use crate::capsule::task_file::TaskFile;
use crate::domain::execution::{EnvironmentSpec, Tier};
use crate::domain::mode::CodeMode;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::effects::analyse::available::AvailablePrograms;
use crate::effects::analyse::declared::environment_of;
use crate::effects::capsule::environment::{language, wanted};
use crate::effects::lock_wish::LockWish;
use crate::effects::notebook::environment;
use crate::engine::request::RunRequest;
use crate::environment::lock::EnvironmentLock;
use crate::model::recording::format::Recording;
use crate::model::recording::path::recording_path;
use crate::sandbox::inside;
use crate::settings::Settings;

/// The largest plan that is read, in bytes.
const LARGEST: u64 = 8 << 20;

/// The environments of a cell, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CellEnvironments {
    pub specs: Vec<EnvironmentSpec>,
    /// Whether they are all that the cell needs, as far as can be told now.
    pub is_whole: bool,
}

/// A cell in a sandbox of a tier.
#[derive(Clone, Copy)]
pub struct PlacedCell<'a> {
    pub settings: &'a Settings,
    pub cell: &'a PlannedCell,
    pub tier: Tier,
}

impl PlacedCell<'_> {
    /// The environments that the cell is known to need, held to a lock where there is one.
    pub fn known(self, lock: Option<&EnvironmentLock>) -> CellEnvironments {
        let whole = |specs| CellEnvironments {
            specs,
            is_whole: true,
        };
        match self.cell.spec.kind {
            TaskKind::Capsule => whole(self.capsule(lock).into_iter().collect()),
            TaskKind::Notebook => whole(self.notebooks(lock)),
            TaskKind::Study => match self.planned(lock) {
                Some(spec) => whole(vec![spec]),
                None => CellEnvironments {
                    specs: languages(&self.cell.run.request),
                    is_whole: false,
                },
            },
        }
    }

    /// The wish for the lock of the cell's day, as its run will have it; `None` where it is not known yet.
    pub fn wish(self) -> Option<LockWish> {
        let wish = |keeps_image, spec| LockWish { spec, keeps_image };
        match self.cell.spec.kind {
            TaskKind::Capsule => self.capsule(None).map(|spec| wish(true, spec)),
            TaskKind::Notebook => self.notebook(None, false).map(|spec| wish(false, spec)),
            TaskKind::Study => self.planned(None).map(|spec| wish(false, spec)),
        }
    }

    fn capsule(self, lock: Option<&EnvironmentLock>) -> Option<EnvironmentSpec> {
        let capsule = self.cell.run.request.capsule.as_ref()?;
        let file = TaskFile::open(&self.cell.spec.path).ok();
        let task = file.and_then(|file| file.tasks.into_iter().find(|task| task.id == capsule.id));
        let word = task.map_or_else(String::new, |task| task.language);
        let wanted = wanted(capsule, language(&word), self.tier);
        Some(match lock {
            Some(lock) => wanted.held_to(lock).spec,
            None => wanted.spec,
        })
    }

    /// With git besides where the task may clone its repository in a container.
    fn notebooks(self, lock: Option<&EnvironmentLock>) -> Vec<EnvironmentSpec> {
        let notebook = self.cell.run.request.notebook.as_ref();
        let mirror = notebook.and_then(|notebook| notebook.mirror.as_ref());
        let may_clone = self.tier == Tier::Docker && mirror.is_some_and(|mirror| mirror.commit.is_some());
        let with_git = may_clone.then(|| self.notebook(lock, true)).flatten();
        let mut specs: Vec<_> = self.notebook(lock, false).into_iter().chain(with_git).collect();
        specs.dedup();
        specs
    }

    /// One that does not fit its lock is refused when its run begins.
    fn notebook(self, lock: Option<&EnvironmentLock>, needs_git: bool) -> Option<EnvironmentSpec> {
        let notebook = self.cell.run.request.notebook.as_ref();
        let wanted = environment::wanted(notebook, lock, needs_git).ok()?;
        Some(wanted.spec)
    }

    /// The environment of the plan that the cell will carry out.
    fn planned(self, lock: Option<&EnvironmentLock>) -> Option<EnvironmentSpec> {
        let images = self.settings.images();
        let offer = AvailablePrograms {
            tier: self.tier,
            images: &images,
            installed: &inside::is_installed,
        };
        let mut plans = plans(self.cell).into_iter();
        plans.find_map(|plan| environment_of(plan, offer, lock))
    }
}

/// Python, and R where the study's own scripts run; those of the run's day where it has one.
fn languages(request: &RunRequest) -> Vec<EnvironmentSpec> {
    let python = EnvironmentSpec {
        python: Some(Vec::new()),
        ..EnvironmentSpec::default()
    };
    let r = EnvironmentSpec {
        r: Some(Default::default()),
        ..EnvironmentSpec::default()
    };
    let both = match request.code_mode {
        CodeMode::Python => vec![python],
        CodeMode::Native => vec![python, r],
    };
    match &request.dated {
        Some(dated) => both.iter().map(|spec| dated.of_the_day(spec)).collect(),
        None => both,
    }
}

/// The plans that a cell will carry out: that of its own run, as far as it got, and that of its recording.
fn plans(cell: &PlannedCell) -> Vec<Value> {
    let own = cell
        .run
        .folder
        .join("artifacts")
        .join(replication::artifact(Stage::DESIGN));
    let own = read(&own).and_then(|text| serde_json::from_str(&text).ok());
    own.into_iter().chain(recorded(&cell.run.request)).collect()
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(path)
        .ok()?
        .take(LARGEST)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

/// The plans that the recording of a run hands in, the last one first.
fn recorded(request: &RunRequest) -> Vec<Value> {
    let prefixes = ["recorded:", "scripted:"];
    let name = prefixes
        .iter()
        .find_map(|prefix| request.model.strip_prefix(prefix));
    let Some(recording) = name.and_then(|name| Recording::open(&recording_path(&request.study, name)).ok())
    else {
        return Vec::new();
    };
    let turns = recording
        .stages
        .get(&Stage::DESIGN)
        .map(|stage| stage.turns.as_slice())
        .unwrap_or_default();
    let answers = turns.iter().rev().filter_map(|turn| match &turn.answer.json {
        Some(value) => Some(value.clone()),
        None => find_answer(&turn.answer.text.0).ok().map(|(value, _)| value),
    });
    answers.collect()
}
