//! The outcomes of runs, ours and released ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::normalise;
use crate::domain::claim_only;
use crate::domain::mode::Setting;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::engine::run_reader::RunReader;
use crate::grading::discovery::benchmark_outcomes;
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::released_run::{EVALS, ReleasedRun, UNNAMED};
use crate::grading::discovery::run_discovery::DistinctRuns;
use crate::grading::prediction::{prediction, verdict};
use crate::grading::scorecard::code::{self, NoLabel};
use crate::run::standing::RunStanding;
use crate::scoring::outcome::{Label, RunVerdict};
use crate::study::gold::Gold;
use crate::study::open::Study;

/// The engine's own record of a released run's execution.
const EXECUTION: &str = "execution_result.json";

/// The verdict of one run on one study.
#[derive(Debug, Clone, Serialize)]
pub struct RunOutcome {
    pub study: String,
    pub model: String,
    /// The code mode, where the run or its folders say it.
    pub setting: String,
    pub source: String,
    pub verdict: RunVerdict,
    /// Why the verdict counts neither right nor wrong; `None` of a run that has ended.
    pub unfinished: Option<String>,
    /// The label that the study itself carries, or why it carries none.
    #[serde(skip)]
    pub own_label: Result<Label, NoOwnLabel>,
    /// True if the study may be one of ReplicatorBench's, whose labels are shipped.
    #[serde(skip)]
    pub is_of_benchmark: bool,
    pub label: Option<Label>,
    /// The verdict of a mixed answer as it was read by hand; `None` where nobody has read it.
    pub read_by_hand: Option<RunVerdict>,
}

/// The reason for which a study carries no label of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoOwnLabel {
    /// With the reason, without its full stop.
    #[error("the study cannot be read: {0}")]
    Unread(String),
    #[error(transparent)]
    Label(#[from] NoLabel),
}

/// The fault of an interpretation that gives no verdict.
#[derive(Debug, thiserror::Error)]
enum NoConclusion {
    #[error(transparent)]
    File(#[from] DiscoveryError),
    #[error("it is not JSON ({0})")]
    NotJson(#[from] serde_json::Error),
    /// The first fault of the answer.
    #[error("{0}")]
    Fault(String),
}

/// The outcomes of the runs at all places, each run once.
#[derive(Debug, Default)]
pub struct RunOutcomes {
    pub all: Vec<RunOutcome>,
    pub problems: Vec<String>,
    distinct: DistinctRuns,
    places: BTreeSet<PathBuf>,
}

/// One record of a file of answers.
#[derive(Deserialize)]
struct Answer {
    study: Value,
    #[serde(default)]
    model: String,
    /// Absent or null: the run has come to no answer.
    #[serde(default)]
    answer: Option<String>,
    /// How the execution ended, as the agent said: `Failure` makes a "no" inconclusive.
    #[serde(default)]
    execute_status: String,
}

impl RunOutcomes {
    /// Adds what the runs at a path and below it concluded, or a file of answers says.
    ///
    /// A released run without an interpretation that can be read has concluded
    /// nothing: it is undecided, and named.
    ///
    /// # Errors
    /// A path that holds no run and no answers.
    pub fn add(&mut self, path: &Path) -> Result<(), DiscoveryError> {
        if path.is_file() {
            return match self.is_first(path) {
                true => self.answers(path),
                false => Ok(()),
            };
        }
        let before = self.all.len() + self.problems.len();
        let mut traces = BTreeSet::new();
        let mut interpreted = BTreeSet::new();
        let mut walk = WalkDir::new(path).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name().to_string_lossy();
            if entry.file_type().is_dir() {
                if entry.path().join("run.json").is_file() {
                    self.run(entry.path());
                    walk.skip_current_dir();
                } else if name == EVALS {
                    traces.extend(entry.path().parent().map(run_folder));
                    walk.skip_current_dir();
                }
            } else if name == replication::artifact(Stage::INTERPRET) {
                interpreted.extend(entry.path().parent().map(run_folder));
                if self.is_first(entry.path()) {
                    let one = released(entry.path(), &mut self.problems);
                    self.all.push(one);
                }
            } else if name == EXECUTION
                || replication::STAGES
                    .iter()
                    .any(|stage| replication::artifact(*stage) == name)
            {
                traces.extend(entry.path().parent().map(run_folder));
            }
        }
        for folder in only_begun(&traces, &interpreted) {
            if !self.is_first(folder) {
                continue;
            }
            self.problems.push(format!(
                "{} has no {}, so it is undecided and counted as wrong.",
                folder.display(),
                replication::artifact(Stage::INTERPRET)
            ));
            let source = folder.display().to_string();
            self.all.push(released_run(folder, source, RunVerdict::Undecided));
        }
        if self.all.len() + self.problems.len() == before {
            return Err(DiscoveryError::NoInterpretation {
                dir: path.to_owned(),
                artifact: replication::artifact(Stage::INTERPRET),
            });
        }
        Ok(())
    }

    /// True if a place is met for the first time; otherwise it is named.
    fn is_first(&mut self, path: &Path) -> bool {
        let is_first = self
            .places
            .insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        if !is_first {
            self.problems.push(format!(
                "{} was named more than once: it counts once.",
                path.display()
            ));
        }
        is_first
    }

    /// Adds a run of ours, or takes it for a copy of one that is there.
    fn run(&mut self, path: &Path) {
        if !self.is_first(path) {
            return;
        }
        let copy = self.distinct.add(path);
        if let Some((lost, line)) = copy {
            self.problems.push(line);
            if lost == path {
                return;
            }
            let lost = lost.display().to_string();
            self.all.retain(|one| one.source != lost);
        }
        match read_run(path) {
            Ok(one) => self.all.push(one),
            Err(error) => self.problems.push(format!(
                "{}: {}; nothing is known of its verdict, which is left out.",
                path.display(),
                error.to_string().trim_end_matches('.')
            )),
        }
    }

    /// Adds what a file of answers says.
    fn answers(&mut self, path: &Path) -> Result<(), DiscoveryError> {
        let Self { all, problems, .. } = self;
        let mut answered: BTreeMap<(String, String), usize> = BTreeMap::new();
        let records: Vec<Value> =
            serde_json::from_slice(&bounded_file::read(path)?).map_err(|source| DiscoveryError::Answers {
                path: path.to_owned(),
                source,
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
            let study = record
                .study
                .as_str()
                .map_or_else(|| record.study.to_string(), str::to_owned);
            let model = named(&record.model);
            *answered.entry((study.clone(), model.clone())).or_default() += 1;
            let verdict = match record.answer {
                Some(answer) => conclusion(json!({
                    "interpretation_summary": "",
                    "execute_status": record.execute_status,
                    "results_comparison": {"overall_answer": answer},
                }))
                .unwrap_or(RunVerdict::Undecided),
                None => {
                    problems.push(format!(
                        "{}: record {} (study {study}) has no answer, so it is undecided and counted as wrong.",
                        path.display(),
                        at + 1
                    ));
                    RunVerdict::Undecided
                }
            };
            all.push(RunOutcome {
                source: format!("{} ({study})", path.display()),
                study,
                model,
                setting: String::new(),
                verdict,
                unfinished: None,
                own_label: Err(NoLabel::Unlabelled.into()),
                is_of_benchmark: true,
                label: None,
                read_by_hand: None,
            });
        }
        for ((study, model), times) in answered.into_iter().filter(|(_, times)| *times > 1) {
            problems.push(format!(
                "{}: study {study} is answered {times} times by {model}: the answers count as repeats of one study.",
                path.display()
            ));
        }
        Ok(())
    }
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

fn named(model: &str) -> String {
    if model.is_empty() { UNNAMED } else { model }.to_owned()
}

/// The conclusion of an interpretation; "Partial" is taken for neither label.
fn conclusion(value: Value) -> Result<RunVerdict, NoConclusion> {
    let read = normalise::read::<InterpretResults>(Stage::INTERPRET, value);
    read.map(|results| match results.is_mixed() {
        true => RunVerdict::Mixed,
        false => results.conclusion().into(),
    })
    .map_err(|faults| NoConclusion::Fault(faults.first().map_or_else(String::new, ToString::to_string)))
}

fn read_run(path: &Path) -> Result<RunOutcome, DiscoveryError> {
    let run = RunReader::open(path)?;
    let gold = references(&run.request.study);
    let own_label = match &gold {
        Err(why) => Err(why.clone()),
        Ok(gold) => code::label_of(gold).map_err(NoOwnLabel::from),
    };
    let setting = match is_prediction(&run) {
        true => claim_only::TRACK.to_owned(),
        false => Setting::new(run.request.code_mode, run.request.code_access).to_string(),
    };
    Ok(RunOutcome {
        study: code::study_of(&run),
        model: run.request.model.clone(),
        setting,
        source: path.display().to_string(),
        verdict: said(&run)?,
        unfinished: RunStanding::from_state(&run.state).without_verdict(&path.display().to_string()),
        own_label,
        // The benchmark's folders hold the replicators' report, and no other layout does.
        is_of_benchmark: gold.is_ok_and(|gold| gold.report.is_some()),
        label: None,
        read_by_hand: None,
    })
}

/// The references of the study in a folder.
///
/// # Errors
/// A study or references that cannot be read.
pub fn references(folder: &Path) -> Result<Gold, NoOwnLabel> {
    let gold = Study::open(folder).and_then(|study| Gold::open(&study));
    gold.map_err(|why| NoOwnLabel::Unread(why.to_string().trim_end_matches('.').to_owned()))
}

/// Whether a run only guesses at the outcome of a replication.
pub fn is_prediction(run: &RunReader) -> bool {
    run.state.track().track == claim_only::TRACK
}

/// The verdict of a run, or the one that it predicts.
///
/// # Errors
/// A prediction that cannot be read.
pub fn said(run: &RunReader) -> Result<RunVerdict, DiscoveryError> {
    if is_prediction(run) {
        let predicted = prediction(&run.state, &run.store)?;
        return Ok(predicted.map_or(RunVerdict::Undecided, |one| verdict(one.verdict)));
    }
    let verdict = run.state.verdict.as_ref().map(|verdict| verdict.outcome);
    Ok(verdict.into())
}

/// A verdict of a run that has ended, with its study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidVerdict {
    /// The study's folder.
    pub folder: PathBuf,
    /// The study's name.
    pub study: String,
    pub verdict: RunVerdict,
}

impl SaidVerdict {
    /// The verdict of a run, or the one that it predicts; `None` of one that has not ended, or of another task.
    pub fn from_run(run: &RunReader) -> Option<Self> {
        let says = run.state.track().is_replication() || is_prediction(run);
        let has_ended = RunStanding::from_state(&run.state) == RunStanding::Ended;
        (says && has_ended).then_some(())?;
        Some(Self {
            folder: run.request.study.clone(),
            study: code::study_of(run),
            verdict: said(run).ok()?,
        })
    }
}

/// A released run by its interpretation.
fn released(path: &Path, problems: &mut Vec<String>) -> RunOutcome {
    let read = || conclusion(serde_json::from_slice(&bounded_file::read(path)?)?);
    let verdict = read().unwrap_or_else(|why| {
        problems.push(format!(
            "{} cannot be read: {}; the run is undecided and counted as wrong.",
            path.display(),
            why.to_string().trim_end_matches('.')
        ));
        RunVerdict::Undecided
    });
    let folder = run_folder(path.parent().unwrap_or(path));
    released_run(&folder, path.display().to_string(), verdict)
}

/// A released run by its folder.
fn released_run(folder: &Path, source: String, verdict: RunVerdict) -> RunOutcome {
    let ReleasedRun {
        setting,
        study,
        model,
    } = ReleasedRun::from_folder(folder);
    let model = named(&model);
    let setting = setting.map_or_else(String::new, |setting| setting.to_string());
    let read_by_hand = benchmark_outcomes::shipped().reading(&setting, &model, &study);
    RunOutcome {
        read_by_hand: read_by_hand.filter(|_| verdict == RunVerdict::Mixed),
        study,
        model,
        setting,
        source,
        verdict,
        unfinished: None,
        own_label: Err(NoLabel::Unlabelled.into()),
        is_of_benchmark: true,
        label: None,
    }
}
