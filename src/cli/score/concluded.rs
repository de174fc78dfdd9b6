//! What runs concluded, ours and released ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::normalise;
use crate::cli::exit::Failure;
use crate::domain::stage::Stage;
use crate::domain::verdict::Outcome;
use crate::engine::archive::Archive;
use crate::engine::folder::RunFolder;
use crate::scoring::outcome::{Label, Said};
use crate::study::gold::Gold;
use crate::study::open::Study;

use super::input;

/// The engine's own record of a released run's execution.
const EXECUTION: &str = "execution_result.json";
/// The folder of a released run's gradings.
const GRADINGS: &str = "evals";

/// What one run concluded of one study.
#[derive(Debug, Clone, Serialize)]
pub struct Concluded {
    pub study: String,
    pub model: String,
    pub source: String,
    pub verdict: Said,
    /// The label that the study itself carries.
    #[serde(skip)]
    pub own_label: Option<Label>,
    pub label: Option<Label>,
}

/// One record of a file of answers.
#[derive(Deserialize)]
struct Answer {
    study: Value,
    #[serde(default)]
    model: String,
    answer: String,
    /// How the execution ended, as the agent said: `Failure` makes a "no" inconclusive.
    #[serde(default)]
    execute_status: String,
}

/// Adds what the runs at a path and below it concluded, or a file of answers says.
///
/// A released run without an interpretation that can be read has concluded
/// nothing: it is undecided, and named.
///
/// # Errors
/// A path that holds no run and no answers.
pub fn gather(path: &Path, all: &mut Vec<Concluded>, problems: &mut Vec<String>) -> Result<(), Failure> {
    if path.is_file() {
        return answers(path, all, problems);
    }
    let before = all.len() + problems.len();
    let mut traces = BTreeSet::new();
    let mut interpreted = BTreeSet::new();
    let mut walk = WalkDir::new(path).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy();
        if entry.file_type().is_dir() {
            if entry.path().join("run.json").is_file() {
                match of_run(entry.path()) {
                    Ok(one) => all.push(one),
                    Err(failure) => problems.push(failure.message),
                }
                walk.skip_current_dir();
            } else if name == GRADINGS {
                traces.extend(entry.path().parent().map(run_folder));
                walk.skip_current_dir();
            }
        } else if name == Stage::Interpret.artifact() {
            interpreted.extend(entry.path().parent().map(run_folder));
            all.push(released(entry.path(), problems));
        } else if name == EXECUTION || Stage::all().any(|stage| stage.artifact() == name) {
            traces.extend(entry.path().parent().map(run_folder));
        }
    }
    for folder in only_begun(&traces, &interpreted) {
        problems.push(format!(
            "{} has no {}, so it is undecided and counted as wrong.",
            folder.display(),
            Stage::Interpret.artifact()
        ));
        all.push(of_folder(folder, folder.display().to_string(), Said::Undecided));
    }
    if all.len() + problems.len() == before {
        return Err(Failure::usage(format!(
            "{} holds neither a run nor an {}",
            path.display(),
            Stage::Interpret.artifact()
        )));
    }
    Ok(())
}

/// The folder of a released run, whose files lie in it or in its `input`.
fn run_folder(holding: &Path) -> PathBuf {
    let outer = holding.parent().filter(|_| holding.ends_with("input"));
    outer.unwrap_or(holding).to_owned()
}

/// The runs that have left something, but no interpretation: neither in their
/// folder nor below it nor above it.
fn only_begun<'a>(
    traces: &'a BTreeSet<PathBuf>,
    interpreted: &'a BTreeSet<PathBuf>,
) -> impl Iterator<Item = &'a Path> {
    traces.iter().map(PathBuf::as_path).filter(|folder| {
        let is_kin = |run: &PathBuf| run.starts_with(folder) || folder.starts_with(run);
        // A folder with interpreted runs below it is no run itself, whatever lies in it.
        let holds_runs = |above: &PathBuf| {
            interpreted
                .iter()
                .any(|run| run != above && run.starts_with(above))
        };
        let is_part = |run: &PathBuf| run != folder && folder.starts_with(run) && !holds_runs(run);
        !interpreted.iter().any(is_kin) && !traces.iter().any(is_part)
    })
}

fn answers(path: &Path, all: &mut Vec<Concluded>, problems: &mut Vec<String>) -> Result<(), Failure> {
    let records: Vec<Value> = serde_json::from_slice(&input::read(path)?).map_err(|error| {
        Failure::usage(format!(
            "{}: {error}; answers are a JSON list of {{\"study\": \"1\", \"model\": \"m\", \"answer\": \"Yes. ...\"}}",
            path.display()
        ))
    })?;
    for (at, record) in records.into_iter().enumerate() {
        let record: Answer = match serde_json::from_value(record) {
            Ok(record) => record,
            Err(error) => {
                problems.push(format!(
                    "{}: record {} is left out: {error}.",
                    path.display(),
                    at + 1
                ));
                continue;
            }
        };
        let value = json!({
            "interpretation_summary": "",
            "execute_status": record.execute_status,
            "results_comparison": {"overall_answer": record.answer},
        });
        let study = record
            .study
            .as_str()
            .map_or_else(|| record.study.to_string(), str::to_owned);
        all.push(Concluded {
            source: format!("{} ({study})", path.display()),
            study,
            model: named(&record.model),
            verdict: conclusion(value).unwrap_or(Said::Undecided),
            own_label: None,
            label: None,
        });
    }
    Ok(())
}

fn named(model: &str) -> String {
    if model.is_empty() { "unnamed model" } else { model }.to_owned()
}

/// What an interpretation concludes; "Partial" is taken for neither label.
fn conclusion(value: Value) -> Result<Said, String> {
    let read = normalise::read::<InterpretResults>(Stage::Interpret, value);
    read.map(|results| match results.is_mixed() {
        true => Said::Mixed,
        false => results.conclusion().into(),
    })
    .map_err(|faults| faults.first().map_or_else(String::new, ToString::to_string))
}

fn of_run(path: &Path) -> Result<Concluded, Failure> {
    let folder = RunFolder::at(path).map_err(|error| Failure::usage(error.to_string()))?;
    let run = Archive::open(folder)?;
    let started = run.state.started.as_ref();
    let gold = Study::open(&run.request.study).and_then(|study| Gold::open(&study));
    let own_label = gold
        .ok()
        .and_then(|gold| gold.outcome)
        .and_then(|label| label_of(label.label));
    Ok(Concluded {
        study: started.map_or_else(String::new, |started| started.study.clone()),
        model: run.request.model.clone(),
        source: path.display().to_string(),
        verdict: run.state.verdict.as_ref().map(|verdict| verdict.outcome).into(),
        own_label,
        label: None,
    })
}

/// A verdict as a label.
fn label_of(outcome: Outcome) -> Option<Label> {
    match outcome {
        Outcome::Met => Some(Label::Met),
        Outcome::Unmet => Some(Label::Unmet),
        Outcome::Inconclusive | Outcome::NotComparable => None,
    }
}

/// A released run by its interpretation.
fn released(path: &Path, problems: &mut Vec<String>) -> Concluded {
    let read = || -> Result<Said, String> {
        let bytes = input::read(path).map_err(|failure| failure.message)?;
        let value = serde_json::from_slice(&bytes).map_err(|error| format!("it is not JSON ({error})"))?;
        conclusion(value)
    };
    let verdict = read().unwrap_or_else(|why| {
        problems.push(format!(
            "{} cannot be read: {}; the run is undecided and counted as wrong.",
            path.display(),
            why.trim_end_matches('.')
        ));
        Said::Undecided
    });
    let folder = run_folder(path.parent().unwrap_or(path));
    of_folder(&folder, path.display().to_string(), verdict)
}

/// A released run, in `STUDY/MODEL/`.
fn of_folder(folder: &Path, source: String, verdict: Said) -> Concluded {
    // `.` has no name of its own.
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = |folder: Option<&Path>| {
        let name = folder.and_then(Path::file_name);
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    Concluded {
        study: name(folder.parent()),
        model: named(&name(Some(&folder))),
        source,
        verdict,
        own_label: None,
        label: None,
    }
}
