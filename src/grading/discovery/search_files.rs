//! A gold set, the predictions that are held against it, and recorded aliases.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::replication;

use crate::domain::stage::Stage;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::{
    BadFile, PredictedUrl, Prediction, Read, read_aliases, read_predictions, read_search_results,
};
use crate::scoring::url_match::gold::{GoldCase, read_gold};
use crate::scoring::url_match::level::CuratedAlias;

/// The files of one comparison.
#[derive(Debug, Clone, Copy)]
pub struct SearchPaths<'a> {
    pub gold: &'a Path,
    /// Files of predictions, folders of them, and runs.
    pub predictions: &'a [PathBuf],
    pub aliases: Option<&'a Path>,
}

/// The content of all files.
pub struct SearchAnswerFiles {
    pub gold: Vec<GoldCase>,
    pub predictions: Vec<Prediction>,
    pub curated: Vec<CuratedAlias>,
    pub problems: Vec<String>,
}

/// Reads all files. A file of predictions that cannot be used is a problem, as
/// long as another can.
///
/// # Errors
/// A gold set or aliases that cannot be used, or no prediction of any case.
pub fn read(paths: SearchPaths<'_>) -> Result<SearchAnswerFiles, DiscoveryError> {
    let bad = |path: &Path| {
        let path = path.to_owned();
        move |source: BadFile| DiscoveryError::SearchFile { path, source }
    };
    let gold = read_gold(&bounded_file::read(paths.gold)?).map_err(bad(paths.gold))?;
    let mut problems = gold.problems;
    let gold = gold.records;
    let (mut predictions, mut unusable) = (Vec::new(), Vec::new());
    for path in paths.predictions {
        for file in prediction_files(path)? {
            match predictions_of(&file, &gold) {
                Ok(found) => {
                    let name = file.display();
                    problems.extend(found.problems.iter().map(|problem| format!("{name}: {problem}")));
                    predictions.extend(found.records);
                }
                Err(error) => unusable.push(error),
            }
        }
    }
    if predictions.is_empty() {
        let first = unusable.into_iter().next();
        return Err(first.unwrap_or_else(|| DiscoveryError::NoCase(paths.gold.to_owned())));
    }
    problems.extend(unusable.iter().map(ToString::to_string));
    let curated = match paths.aliases {
        Some(path) => read_aliases(&bounded_file::read(path)?).map_err(bad(path))?,
        None => Vec::new(),
    };
    problems.extend(
        curated
            .iter()
            .filter(|alias| !names_one(alias, &gold))
            .map(|alias| {
                format!(
                    "The alias {} names the resource `{}` of case {}, which the gold set does not have.",
                    alias.address, alias.resource, alias.case
                )
            }),
    );
    Ok(SearchAnswerFiles {
        gold,
        predictions,
        curated,
        problems,
    })
}

fn names_one(alias: &CuratedAlias, gold: &[GoldCase]) -> bool {
    let of_case = gold.iter().filter(|case| case.id == alias.case);
    let mut resources = of_case.flat_map(|case| &case.resources);
    resources.any(|resource| resource.id == alias.resource)
}

/// A file itself; of a run its search results; of another folder its `.jsonl`
/// files by name, not those of folders in it.
fn prediction_files(path: &Path) -> Result<Vec<PathBuf>, DiscoveryError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    if path.join("run.json").is_file() {
        let results = path.join("artifacts").join(replication::artifact(Stage::SEARCH));
        if results.is_file() {
            return Ok(vec![results]);
        }
        return Err(DiscoveryError::NoSearchResults {
            run: path.to_owned(),
            results,
        });
    }
    let entries = fs::read_dir(path).map_err(|source| DiscoveryError::UnreadableFolder {
        path: path.to_owned(),
        source,
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file())
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(DiscoveryError::NoPredictionFile(path.to_owned()));
    }
    Ok(files)
}

/// The predictions of one file that are of a case of the gold set.
fn predictions_of(file: &Path, gold: &[GoldCase]) -> Result<Read<Prediction>, DiscoveryError> {
    let bytes = bounded_file::read(file)?;
    let mut found = match read_search_results(&bytes) {
        Some(results) => own_results(file, results, gold)?,
        None => read_predictions(&bytes),
    };
    if found.records.is_empty() {
        return Err(DiscoveryError::NoPrediction(file.to_owned()));
    }
    let is_known = |one: &Prediction| gold.iter().any(|case| case.id == one.case);
    let mut of_other_runs: Vec<CaseId> = Vec::new();
    for unknown in found.records.iter().filter(|one| !is_known(one)) {
        if !of_other_runs.contains(&unknown.case) {
            of_other_runs.push(unknown.case.clone());
        }
    }
    match of_other_runs.as_slice() {
        [] => {}
        [only] => (found.problems).push(format!("case {only} is not in the gold set and is left out.")),
        [first, ..] => found.problems.push(format!(
            "{} cases are not in the gold set and are left out, the first of them {first}.",
            of_other_runs.len()
        )),
    }
    found.records.retain(is_known);
    Ok(found)
}

/// A run's own results as a prediction of its study.
fn own_results(
    file: &Path,
    results: Read<PredictedUrl>,
    gold: &[GoldCase],
) -> Result<Read<Prediction>, DiscoveryError> {
    let whole = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let request = (whole.ancestors().skip(1).take(2))
        .filter_map(|folder| RunFolder::at(folder).ok())
        .find_map(|folder| RunRequest::load(&folder.request()).ok());
    let study = (request.as_ref()).and_then(|request| request.study.file_name());
    let case = match (study, gold) {
        (Some(study), _) => CaseId::from(&*study.to_string_lossy()),
        (None, [only]) => only.id.clone(),
        (None, _) => {
            return Err(DiscoveryError::UnknownStudy(file.to_owned()));
        }
    };
    let model = request.map_or_else(|| "unknown".to_owned(), |request| request.model);
    Ok(Read {
        records: vec![Prediction {
            case,
            model,
            urls: results.records,
        }],
        problems: results.problems,
    })
}
