//! The gold set, the predictions and the aliases of `reprise score search`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::exit::Failure;
use crate::domain::stage::Stage;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::{
    BadFile, PredictedUrl, Prediction, Read, read_aliases, read_predictions, read_search_results,
};
use crate::scoring::url_match::gold::{GoldCase, read_gold};
use crate::scoring::url_match::level::CuratedAlias;

use super::args::SearchArgs;
use super::input;

/// What was read of all files.
pub struct Given {
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
pub fn read(args: &SearchArgs) -> Result<Given, Failure> {
    let bad = |path: &Path| {
        let path = path.display().to_string();
        move |error: BadFile| Failure::usage(format!("{path}: {error}"))
    };
    let gold = read_gold(&input::read(&args.gold)?).map_err(bad(&args.gold))?;
    let mut problems = gold.problems;
    let gold = gold.records;
    let (mut predictions, mut unusable) = (Vec::new(), Vec::new());
    for path in &args.predictions {
        for file in prediction_files(path)? {
            match predictions_of(&file, &gold) {
                Ok(found) => {
                    let name = file.display();
                    problems.extend(found.problems.iter().map(|problem| format!("{name}: {problem}")));
                    predictions.extend(found.records);
                }
                Err(failure) => unusable.push(failure.message),
            }
        }
    }
    if predictions.is_empty() {
        return Err(Failure::usage(unusable.into_iter().next().unwrap_or_else(|| {
            format!(
                "no prediction is of a case of {}, so nothing can be scored: the `id` of a prediction is that of its \
                 case",
                args.gold.display()
            )
        })));
    }
    problems.extend(unusable);
    let curated = match &args.aliases {
        Some(path) => read_aliases(&input::read(path)?).map_err(bad(path))?,
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
    Ok(Given {
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
fn prediction_files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    if path.join("run.json").is_file() {
        let results = path.join("artifacts").join(Stage::Search.artifact());
        if results.is_file() {
            return Ok(vec![results]);
        }
        return Err(Failure::usage(format!(
            "{} is a run without {}: its search stage gave no answer that could be read",
            path.display(),
            results.display()
        )));
    }
    let entries = fs::read_dir(path).map_err(|error| {
        Failure::usage(format!(
            "{} cannot be read: {error}. Name a folder that can.",
            path.display()
        ))
    })?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file())
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no `.jsonl` file and is no run: give files of predictions, a folder of them, or a run",
            path.display()
        )));
    }
    Ok(files)
}

/// The predictions of one file that are of a case of the gold set.
fn predictions_of(file: &Path, gold: &[GoldCase]) -> Result<Read<Prediction>, Failure> {
    let bytes = input::read(file)?;
    let name = file.display();
    let mut found = match read_search_results(&bytes) {
        Some(results) => own_results(file, results, gold)?,
        None => read_predictions(&bytes),
    };
    if found.records.is_empty() {
        return Err(Failure::usage(format!(
            "{name} holds no prediction: give records such as {{\"id\": 1, \"result\": {{\"urls\": []}}}}, or a run's \
             search_results.json"
        )));
    }
    let is_known = |one: &Prediction| gold.iter().any(|case| case.id == one.case);
    let mut of_other_runs: Vec<CaseId> = Vec::new();
    for stray in found.records.iter().filter(|one| !is_known(one)) {
        if !of_other_runs.contains(&stray.case) {
            of_other_runs.push(stray.case.clone());
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
) -> Result<Read<Prediction>, Failure> {
    let whole = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let request = (whole.ancestors().skip(1).take(2))
        .filter_map(|folder| RunFolder::at(folder).ok())
        .find_map(|folder| RunRequest::load(&folder.request()).ok());
    let study = (request.as_ref()).and_then(|request| request.study.file_name());
    let case = match (study, gold) {
        (Some(study), _) => CaseId::from(&*study.to_string_lossy()),
        (None, [only]) => only.id.clone(),
        (None, _) => {
            return Err(Failure::usage(format!(
                "{} is a run's search results and does not say of which study: leave it in its run's folder beside \
                 run.json, or give a gold set of one case",
                file.display()
            )));
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
