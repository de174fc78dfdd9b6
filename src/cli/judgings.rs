//! Hand-written judgings of a session, brought in step with what judges are asked.

use std::fs;
use std::path::{Path, PathBuf};

use crate::app;
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::catalog::rubrics::load::Rubrics;
use crate::engine::error::EngineError;
use crate::grading::scorecard::files::folder_name;
use crate::grading::scored_run::grading_request::{GradingRequest, GradingSetup};
use crate::grading::scored_run::judge_grading::RECORDING;
use crate::grading::scored_run::scored::score;
use crate::model::chat::ModelError;
use crate::model::recording::format::Recording;
use crate::settings::Settings;

use super::exit::{Failure, Status};

/// The gradings of a stage that a judging holds.
const REPEATS: u32 = 3;

/// The judgings of a study whose setting is this one.
///
/// # Errors
/// A judging that cannot be read.
pub fn for_setting(study: &Path, setting: &str) -> Result<Vec<PathBuf>, Failure> {
    let Ok(entries) = fs::read_dir(study.join("judgings")) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if is_json && open(&path)?.setting == setting {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Grades a finished run by a judging's answers, by position, and gives the
/// judging with the requests that it met.
///
/// # Errors
/// A judging that cannot be read, or other answers than the run asks for.
pub async fn refreshed(settings: &Settings, run: &Path, judging: &Path) -> Result<String, Failure> {
    let (registry, helper) = app::toolset::graders(settings)?;
    let shared = ProcessShared::default();
    let judges = Judges {
        settings,
        shared: &shared,
    };
    let setup = GradingSetup {
        rubrics: Rubrics::load(None).map_err(EngineError::from)?,
        registry,
        helper,
        judges: &judges,
    };
    let path = fs::canonicalize(judging)
        .map_err(|error| Failure::usage(format!("{}: {error}", judging.display())))?;
    let judge = format!("scripted:{}", path.display());
    let request = GradingRequest {
        judges: vec![judge.clone()],
        repeats: REPEATS,
        baselines: true,
        ..GradingRequest::default()
    };
    score(&request, &setup, run).await?;
    let asked = open(&run.join(folder_name(&judge)).join(RECORDING))?;
    let mut refreshed = open(judging)?;
    for (stage, answered) in &mut refreshed.stages {
        let met = asked.stages.get(stage).map(|stage| stage.turns.as_slice());
        let met = met.unwrap_or_default();
        if met.len() != answered.turns.len() {
            return Err(Failure::new(
                Status::StageFailed,
                format!(
                    "{}: of stage {stage} {} answers were asked for, and {} are written",
                    judging.display(),
                    met.len(),
                    answered.turns.len()
                ),
            ));
        }
        for (turn, met) in answered.turns.iter_mut().zip(met) {
            turn.request.clone_from(&met.request);
        }
    }
    refreshed.to_json().map_err(unusable)
}

fn open(path: &Path) -> Result<Recording, Failure> {
    Recording::open(path).map_err(unusable)
}

fn unusable(error: ModelError) -> Failure {
    Failure::usage(error.to_string())
}
