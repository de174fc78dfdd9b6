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
use crate::effects::notebook::environment;
use crate::engine::request::RunRequest;
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

/// The environments that a cell is known to need, in a sandbox of a tier.
pub fn known(settings: &Settings, cell: &PlannedCell, tier: Tier) -> CellEnvironments {
    let request = &cell.run.request;
    match cell.spec.kind {
        TaskKind::Capsule => of_capsule(cell, tier),
        TaskKind::Notebook => CellEnvironments {
            specs: of_notebook(request, tier),
            is_whole: true,
        },
        TaskKind::Study => of_study(settings, cell, tier),
    }
}

fn of_capsule(cell: &PlannedCell, tier: Tier) -> CellEnvironments {
    let request = &cell.run.request;
    let Some(capsule) = &request.capsule else {
        return CellEnvironments::default();
    };
    let file = TaskFile::open(&cell.spec.path);
    let task = file
        .ok()
        .and_then(|file| file.tasks.into_iter().find(|task| task.id == capsule.id));
    let word = task.map_or_else(String::new, |task| task.language);
    let wanted = wanted(capsule, language(&word), tier);
    let wanted = match &request.lock {
        Some(lock) => wanted.held_to(lock),
        None => wanted,
    };
    CellEnvironments {
        specs: vec![wanted.spec],
        is_whole: true,
    }
}

/// With git besides where the task may clone its repository in a container.
fn of_notebook(request: &RunRequest, tier: Tier) -> Vec<EnvironmentSpec> {
    let notebook = request.notebook.as_ref();
    let mirror = notebook.and_then(|notebook| notebook.mirror.as_ref());
    let may_clone = tier == Tier::Docker && mirror.is_some_and(|mirror| mirror.commit.is_some());
    let wanted = |needs_git| environment::wanted(notebook, request.lock.as_deref(), needs_git);
    // One that does not fit its lock is refused when its run begins.
    let mut specs: Vec<EnvironmentSpec> = [Some(wanted(false)), may_clone.then(|| wanted(true))]
        .into_iter()
        .flatten()
        .filter_map(|wanted| Some(wanted.ok()?.spec))
        .collect();
    specs.dedup();
    specs
}

fn of_study(settings: &Settings, cell: &PlannedCell, tier: Tier) -> CellEnvironments {
    let request = &cell.run.request;
    let images = settings.images();
    let offer = AvailablePrograms {
        tier,
        images: &images,
        installed: &inside::is_installed,
    };
    let planned = plans(cell)
        .into_iter()
        .find_map(|plan| environment_of(plan, offer, request.lock.as_deref()));
    match planned {
        Some(spec) => CellEnvironments {
            specs: vec![spec],
            is_whole: true,
        },
        None => CellEnvironments {
            specs: languages(request),
            is_whole: false,
        },
    }
}

/// Python, and R where the study's own scripts run.
fn languages(request: &RunRequest) -> Vec<EnvironmentSpec> {
    let python = EnvironmentSpec {
        python: Some(Vec::new()),
        ..EnvironmentSpec::default()
    };
    let r = EnvironmentSpec {
        r: Some(Default::default()),
        ..EnvironmentSpec::default()
    };
    match request.code_mode {
        CodeMode::Python => vec![python],
        CodeMode::Native => vec![python, r],
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
