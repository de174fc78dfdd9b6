//! The files that scoring leaves in a run's folder: the released ones by judge,
//! and `scores.json`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::digest::Digest;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::grading::judge::grade::Grading;
use crate::grading::judge::grading_file::{decided_by_code, in_released_shape};
use crate::grading::judge::mark::Mark;
use crate::scoring::aggregate::grading::{GradedStage, Gradings};
use crate::scoring::aggregate::origin::{self, Origin};
use crate::scoring::aggregate::summary::Summary;
use crate::scoring::aggregate::{corrected, published};
use crate::scoring::released::eval_summary;

use crate::grading::scorecard::card::{Scorecard, StageCard};

/// The summary beside a judge's gradings.
const SUMMARY: &str = "eval_summary.json";

/// The folder of a judge's files, below the run's.
pub fn folder_name(judge: &str) -> String {
    format!("evals/{}", plain_name(judge))
}

/// The folder of a judge's review, below the run's.
pub fn review_folder(judge: &str) -> String {
    format!("reviews/{}", plain_name(judge))
}

/// A judge's name as that of a folder.
fn plain_name(judge: &str) -> String {
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
    match name.is_empty() {
        true => "judge".to_owned(),
        false => name,
    }
}

/// Makes a judge's folder, of that name below a run's.
///
/// # Errors
/// A symbolic link out of the run's folder, at the folder or in it: nothing is
/// written through it.
pub fn make_folder(run: &RunFolder, name: &str) -> Result<PathBuf, EngineError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| EngineError::io(&path, error)
    };
    let root = run.path().canonicalize().map_err(io(run.path()))?;
    let mut folder = run.path().to_owned();
    for step in name.split('/') {
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
/// summaries of them.
///
/// The released files have no word for a field without a mark, and whoever sums
/// one up takes what is in it for all. So the file of a stage in which a field is
/// unscored is not written, and an earlier one is removed. `origin` is written
/// beside them with digests, the fields that were asked for, and why a file is
/// not there.
///
/// # Errors
/// A file that cannot be written or removed.
pub fn write_gradings(
    folder: &Path,
    stages: &[StageCard],
    mut origin: Origin,
) -> Result<(Summary, Summary), EngineError> {
    let mut written: Vec<(GradedStage, Vec<u8>)> = Vec::new();
    let mut partial: Vec<String> = Vec::new();
    for stage in GradedStage::all() {
        let (path, file) = (folder.join(stage.file_name()), stage.file_name().to_owned());
        let card = stages.iter().find(|card| card.stage == stage);
        let grading = card.and_then(|card| Some(&card.against.first()?.grading));
        let whole = grading.filter(|grading| grading.is_whole());
        if let Some((grading, value)) = whole.and_then(|one| Some((one, in_released_shape(one)?))) {
            let bytes = pretty(&value)?;
            atomic_file::replace(&path, &bytes, folder)?;
            let asked = grading.fields.iter().map(|field| field.path.clone());
            origin.asked.insert(file.clone(), asked.collect());
            origin.by_code.insert(file.clone(), decided_by_code(grading));
            origin.files.insert(file, Digest::compute(&bytes));
            written.push((stage, bytes));
            continue;
        }
        remove(&path)?;
        if let Some(grading) = grading {
            let why = without_marks(grading);
            partial.push(format!(
                "`{file}` is not written, since {why}: a mean of the others would pass for a score."
            ));
            origin.unwritten.insert(file, why);
        } else if let Some(why) = card.and_then(|card| card.unscored.clone()) {
            origin.unwritten.insert(file, why);
        }
    }
    let said = serde_json::to_value(&origin).map_err(|error| unwritable(&error))?;
    atomic_file::replace(&folder.join(origin::FILE), &pretty(&said)?, folder)?;
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
        asked: Some(&origin.asked),
    };
    let (mut compat, mut corrected) = (published::summarise(&gradings), corrected::summarise(&gradings));
    for summary in [&mut compat, &mut corrected] {
        summary.problems.extend(partial.iter().cloned());
    }
    atomic_file::replace(
        &folder.join(SUMMARY),
        &pretty(&eval_summary::in_released_shape(&compat))?,
        folder,
    )?;
    Ok((compat, corrected))
}

/// How many fields of a grading have no mark, as half a sentence.
fn without_marks(grading: &Grading) -> String {
    let unscored = grading.fields.iter().filter(|field| field.mark == Mark::Unscored);
    format!(
        "{} of {} fields have no mark",
        unscored.count(),
        grading.fields.len()
    )
}

/// Writes `scores.json`.
///
/// # Errors
/// A file that cannot be written.
pub fn write_scores(run: &RunFolder, card: &Scorecard) -> Result<(), EngineError> {
    let value = serde_json::to_value(card).map_err(|error| unwritable(&error))?;
    atomic_file::replace(&run.scores(), &pretty(&value)?, run.path())
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
    use crate::grading::scorecard::files::*;

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
