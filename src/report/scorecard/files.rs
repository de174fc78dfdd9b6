//! The files that scoring leaves in a run's folder: the released ones by judge,
//! and `scores.json`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::put;
use crate::scoring::aggregate::grading::{GradedStage, Gradings};
use crate::scoring::aggregate::origin::{self, Origin};
use crate::scoring::aggregate::summary::Summary;
use crate::scoring::aggregate::{compat, corrected};
use crate::scoring::judge::released::in_released_shape;

use super::card::{Scorecard, StageCard};

/// The summary beside a judge's gradings.
const SUMMARY: &str = "eval_summary.json";

/// The folder of a judge's files, below the run's.
pub fn folder_name(judge: &str) -> String {
    let safe: String = judge
        .chars()
        .map(|one| {
            if one.is_ascii_alphanumeric() || "-_.".contains(one) {
                one
            } else {
                '-'
            }
        })
        .collect();
    let name = safe.trim_matches(['.', '-']);
    let name: String = name
        .chars()
        .rev()
        .take(80)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    format!("evals/{}", if name.is_empty() { "judge" } else { &name })
}

/// Makes a judge's folder.
///
/// # Errors
/// A symbolic link out of the run's folder, at the folder or in it: nothing is
/// written through it.
pub fn make_folder(run: &RunFolder, judge: &str) -> Result<PathBuf, EngineError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| EngineError::io(&path, error)
    };
    let root = run.path().canonicalize().map_err(io(run.path()))?;
    let mut folder = run.path().to_owned();
    for step in folder_name(judge).split('/') {
        folder.push(step);
        stays_inside(&root, &folder)?;
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(io(&folder)(error));
            }
            _ => {}
        }
    }
    for entry in fs::read_dir(&folder).map_err(io(&folder))? {
        stays_inside(&root, &entry.map_err(io(&folder))?.path())?;
    }
    Ok(folder)
}

/// Refuses a link that leads out of a run, or nowhere.
fn stays_inside(root: &Path, path: &Path) -> Result<(), EngineError> {
    if !path.is_symlink() || path.canonicalize().is_ok_and(|real| real.starts_with(root)) {
        return Ok(());
    }
    let target = fs::read_link(path).unwrap_or_default();
    Err(EngineError::Unusable(format!(
        "{} is a symbolic link to {}, outside the run, and nothing is written through it: remove the link to score \
         this run",
        path.display(),
        target.display()
    )))
}

/// Writes the gradings of one judge in the released shapes, and returns both
/// summaries of those in which no field is unscored. A file that the stages no longer give is
/// removed, so that no summary outlives its gradings. `origin` is written beside
/// them, with their digests.
pub fn write_gradings(
    folder: &Path,
    stages: &[StageCard],
    mut origin: Origin,
) -> Result<(Summary, Summary), EngineError> {
    let mut written: Vec<(GradedStage, Vec<u8>)> = Vec::new();
    for stage in GradedStage::all() {
        let path = folder.join(stage.file_name());
        let card = stages.iter().find(|card| card.stage == stage);
        let first = card.and_then(|card| card.against.first());
        match first.and_then(|one| in_released_shape(&one.grading)) {
            Some(value) => {
                let bytes = pretty(&value)?;
                put::replace(&path, &bytes, folder)?;
                origin
                    .files
                    .insert(stage.file_name().to_owned(), Digest::of(&bytes));
                // A mean of the fields that happen to be marked would pass for a score.
                if first.is_some_and(|one| one.grading.is_whole()) {
                    written.push((stage, bytes));
                }
            }
            None => remove(&path)?,
        }
    }
    let origin = serde_json::to_value(&origin).map_err(|error| unwritable(&error))?;
    put::replace(&folder.join(origin::FILE), &pretty(&origin)?, folder)?;
    let of = |stage| {
        written
            .iter()
            .find(|(known, _)| *known == stage)
            .map(|(_, bytes)| bytes.as_slice())
    };
    let gradings = Gradings {
        extract: of(GradedStage::Extract),
        design: of(GradedStage::Design),
        execute: of(GradedStage::Execute),
        interpret: of(GradedStage::Interpret),
    };
    let compat = compat::summarise(&gradings);
    put::replace(
        &folder.join(SUMMARY),
        &pretty(&compat.in_released_shape())?,
        folder,
    )?;
    Ok((compat, corrected::summarise(&gradings)))
}

/// Writes `scores.json`.
pub fn write_scores(run: &RunFolder, card: &Scorecard) -> Result<(), EngineError> {
    let value = serde_json::to_value(card).map_err(|error| unwritable(&error))?;
    put::replace(&run.scores(), &pretty(&value)?, run.path())
}

fn remove(path: &Path) -> Result<(), EngineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EngineError::io(path, error)),
        _ => Ok(()),
    }
}

fn pretty(value: &Value) -> Result<Vec<u8>, EngineError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|error| unwritable(&error))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn unwritable(error: &serde_json::Error) -> EngineError {
    EngineError::Unusable(format!("the scores cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judges_name_is_a_folder_and_no_path() {
        assert_eq!(folder_name("openai/gpt-5"), "evals/openai-gpt-5");
        assert_eq!(
            folder_name("recorded:../../x/judge.json"),
            "evals/recorded-..-..-x-judge.json"
        );
        assert_eq!(folder_name("../.."), "evals/judge");
    }
}
