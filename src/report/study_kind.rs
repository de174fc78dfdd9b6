//! The kind of a run's study, the first line of whatever is said of the run.

use serde::{Deserialize, Serialize};

use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::study_kind::{CodeOrigin, DataOrigin, Observations, StudyKind};
use crate::run::event::RunStarted;
use crate::run::stage_state::StageState;
use crate::run::state::State;
use crate::verdict::judged::capital;

/// The kind with its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyKindView {
    /// Absent before the run has begun.
    pub kind: Option<StudyKind>,
    /// With SCORE's letters, where it has some.
    pub name: String,
    /// The parts that are the original's and those that are not.
    pub about: String,
}

impl StudyKindView {
    /// The kind by what has run so far.
    pub fn from_state(state: &State) -> Self {
        let started = state.started.as_ref();
        let observations = observations(state);
        let kind = started.map(|started| {
            // A study whose files say nothing of its data is a replication, as its agent is told.
            let data = started.origins.data.unwrap_or(match observations {
                Some(Observations::Same) => DataOrigin::Authors,
                _ => DataOrigin::Other,
            });
            StudyKind::new(data, is_code_as_written(state, started))
        });
        let name = kind.map_or_else(|| "not begun".to_owned(), |kind| kind.to_string());
        Self {
            kind,
            name: match (state.is_planned_with_data(), state.tried_in_shell()) {
                (true, _) => format!("Planned with the data in reach, {name}"),
                (false, 0) => capital(&name),
                (false, count) => format!("Analyses were tried in the agent's own shell: {count}, {name}"),
            },
            about: match (kind, observations) {
                (Some(kind), Some(Observations::PartlySame)) => {
                    format!(
                        "{}, and some of the original's own observations",
                        kind.explanation()
                    )
                }
                (Some(kind), _) => kind.explanation().to_owned(),
                (None, _) => "no study was opened".to_owned(),
            },
        }
    }

    /// Both in one line.
    pub fn line(&self) -> String {
        format!("{}: {}", self.name, self.about)
    }
}

/// Whether the observations are the original's, as the study or the plan says.
fn observations(state: &State) -> Option<Observations> {
    let fixed = state
        .started
        .as_ref()
        .and_then(|started| started.claim.criterion.as_ref()?.observations);
    let planned = || state.verdict.as_ref()?.criterion.as_ref()?.observations;
    fixed.or_else(planned)
}

/// True if nothing but the authors' own code has run, and that unchanged.
fn is_code_as_written(state: &State, started: &RunStarted) -> bool {
    let settings = &started.settings;
    let staged = &started.code;
    let changes = state
        .stages
        .values()
        .flat_map(StageState::changes)
        .map(|(_, change)| (&change.path, change.after.digest()));
    let written = state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
        .flat_map(|finished| &finished.outputs)
        .map(|file| (&file.path, file.digest));
    let is_unchanged = changes.chain(written).all(|(path, digest)| {
        staged
            .iter()
            .all(|file| file.path != *path || file.digest == digest)
    });
    let names_staged = |argument: &String| {
        let name = argument.rsplit('/').next().unwrap_or_default();
        staged.iter().any(|file| file.path.file_name() == name)
    };
    let all_staged = state
        .executions
        .iter()
        .all(|one| one.started.command.iter().any(names_staged));
    settings.code_mode == CodeMode::Native
        && settings.code_access == CodeAccess::Code
        && started.origins.code != Some(CodeOrigin::Replicators)
        && !staged.is_empty()
        && is_unchanged
        && all_staged
}
