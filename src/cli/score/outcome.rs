//! `reprise score outcome`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::normalise;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::domain::stage::Stage;
use crate::domain::verdict::Outcome;
use crate::engine::archive::Archive;
use crate::engine::folder::RunFolder;
use crate::scoring::aggregate::json::{Node, overridden};
use crate::scoring::outcome::{Label, OutcomeScore, Said, score};
use crate::study::gold::Gold;
use crate::study::open::Study;

use super::args::OutcomeArgs;
use super::input;
use super::table::percent;

/// What one run concluded of one study.
#[derive(Debug, Clone, Serialize)]
struct Concluded {
    study: String,
    model: String,
    source: String,
    verdict: Said,
    /// The label that the study itself carries.
    #[serde(skip)]
    own_label: Option<Label>,
    label: Option<Label>,
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

/// Compares verdicts with labels.
pub fn outcome(printer: Printer, args: &OutcomeArgs) -> Result<Status, Failure> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let labels = match &args.labels {
        Some(path) => Some(labels(path, &mut problems)?),
        None => None,
    };
    for path in &args.paths {
        gather(path, &mut all, &mut problems)?;
    }
    let mut without = BTreeSet::new();
    for one in &mut all {
        one.label = match &labels {
            Some(labels) => labels.get(&one.study).copied(),
            None => one.own_label,
        };
        if one.label.is_none() {
            without.insert(one.study.clone());
        }
    }
    if !without.is_empty() {
        let way_out = match labels {
            Some(_) => "the file of labels gives them neither `met` nor `unmet`",
            None => "their studies have no outcome label; give `--labels`",
        };
        let left_out = all.iter().filter(|one| one.label.is_none()).count();
        let studies: Vec<String> = without.into_iter().collect();
        problems.push(format!(
            "{left_out} verdicts are left out (study {}): {way_out}.",
            studies.join(", ")
        ));
    }
    let mut models: BTreeMap<&str, Vec<&Concluded>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.label.is_some()) {
        models.entry(&one.model).or_default().push(one);
    }
    let scored: Vec<(&str, OutcomeScore, &[&Concluded])> = (models.iter())
        .map(|(model, runs)| {
            let verdicts = runs.iter().filter_map(|one| Some((one.label?, one.verdict)));
            (*model, score(verdicts), runs.as_slice())
        })
        .collect();
    for problem in &problems {
        printer.note(problem);
    }
    if scored.is_empty() {
        return Err(Failure::usage(
            "no verdict has a label to be compared with: give `--labels FILE`, a JSON object from study to `met` or `unmet`",
        ));
    }
    if args.json {
        let models: Vec<Value> = (scored.iter())
            .map(|(model, score, runs)| json!({"model": model, "score": score, "verdicts": runs}))
            .collect();
        printer.json(&json!({
            "format": "reprise-score-outcome/1", "models": models, "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for (model, score, _) in &scored {
        for line in lines(model, score) {
            printer.line(line);
        }
    }
    Ok(Status::Done)
}

/// The labels that can be used; a study that people found mixed has none.
fn labels(path: &Path, problems: &mut Vec<String>) -> Result<BTreeMap<String, Label>, Failure> {
    let bytes = input::read(path)?;
    let shape = |why: &str| {
        Failure::usage(format!(
            "{}: {why}; labels are a JSON object such as {{\"duncan-1961\": \"met\"}}",
            path.display()
        ))
    };
    let node = Node::parse(&bytes).map_err(|error| shape(&error))?;
    let members = node.members().ok_or_else(|| shape("it is no object"))?;
    let again = overridden(members);
    let mut found = BTreeMap::new();
    for (at, (study, value)) in members.iter().enumerate() {
        let mut problem = |what: &str| problems.push(format!("{}: study {study} {what}.", path.display()));
        match value {
            _ if again.contains(&at) => problem("is labelled more than once; the last label counts"),
            Node::Text(text) if text == "met" => _ = found.insert(study.to_string(), Label::Met),
            Node::Text(text) if text == "unmet" => _ = found.insert(study.to_string(), Label::Unmet),
            Node::Text(text) if text == "mixed" => {
                problem("is labelled `mixed`, which no verdict can equal, so it is left out");
            }
            _ => problem("has a label that is neither `met`, `unmet` nor `mixed`"),
        }
    }
    Ok(found)
}

fn gather(path: &Path, all: &mut Vec<Concluded>, problems: &mut Vec<String>) -> Result<(), Failure> {
    if path.is_file() {
        return answers(path, all, problems);
    }
    let before = all.len() + problems.len();
    let mut walk = WalkDir::new(path).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_dir() {
            if entry.path().join("run.json").is_file() {
                match of_run(entry.path()) {
                    Ok(one) => all.push(one),
                    Err(failure) => problems.push(failure.message),
                }
                walk.skip_current_dir();
            } else if entry.file_name() == "evals" {
                walk.skip_current_dir();
            }
        } else if entry.file_name() == Stage::Interpret.artifact() {
            match released(entry.path()) {
                Ok(one) => all.push(one),
                Err(failure) => problems.push(failure.message),
            }
        }
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
pub fn label_of(outcome: Outcome) -> Option<Label> {
    match outcome {
        Outcome::Met => Some(Label::Met),
        Outcome::Unmet => Some(Label::Unmet),
        Outcome::Inconclusive | Outcome::NotComparable => None,
    }
}

/// A released run, in `STUDY/MODEL/` or `STUDY/MODEL/input/`.
fn released(path: &Path) -> Result<Concluded, Failure> {
    let unusable = |why: String| Failure::usage(format!("{}: {why}", path.display()));
    let value: Value =
        serde_json::from_slice(&input::read(path)?).map_err(|error| unusable(error.to_string()))?;
    let verdict = conclusion(value).map_err(unusable)?;
    let mut parents: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_owned).collect();
    if parents.first().is_some_and(|folder| folder.ends_with("input")) {
        parents.remove(0);
    }
    let name = |at: usize| {
        let folder: Option<&PathBuf> = parents.get(at);
        folder
            .and_then(|folder| folder.file_name())
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    Ok(Concluded {
        study: name(1),
        model: named(&name(0)),
        source: path.display().to_string(),
        verdict,
        own_label: None,
        label: None,
    })
}

fn lines(model: &str, score: &OutcomeScore) -> Vec<String> {
    let range = |interval: Option<Interval>| {
        interval.map_or_else(String::new, |one| {
            format!(" [{}, {}]", percent(one.lower), percent(one.upper))
        })
    };
    let share = |share: Option<f64>| percent(share.unwrap_or(0.0));
    let all = score.macro_average;
    let mut lines = vec![
        model.to_owned(),
        format!(
            "  accuracy {} ({}{}), macro precision {} recall {} F1 {}",
            share(score.accuracy.share()),
            score.accuracy,
            range(score.accuracy_interval),
            percent(all.precision),
            percent(all.recall),
            percent(all.f1)
        ),
    ];
    if let Some(baseline) = score.baseline {
        let answer = match baseline.answer {
            Label::Met => "met",
            Label::Unmet => "unmet",
        };
        lines.push(format!(
            "  always `{answer}`: accuracy {} ({}{}), macro F1 {}",
            share(baseline.accuracy.share()),
            baseline.accuracy,
            range(baseline.accuracy.wilson()),
            percent(baseline.macro_f1)
        ));
    }
    for (label, row) in [("met", score.labelled_met), ("unmet", score.labelled_unmet)] {
        lines.push(format!(
            "  labelled {label}: {} met, {} unmet, {} mixed, {} undecided (the last two counted wrong)",
            row.met, row.unmet, row.mixed, row.undecided
        ));
    }
    if score.most != score.accuracy {
        lines.push(format!(
            "  if every mixed verdict is read in favour of its label: {}{}",
            score.most,
            range(score.most.wilson())
        ));
    }
    lines.push(format!(
        "  of the decided alone: {} right{}",
        score.decided_accuracy,
        range(score.decided_accuracy.wilson())
    ));
    lines
}
