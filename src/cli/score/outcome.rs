//! `reprise score outcome`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::scoring::aggregate::json::{Node, overridden};
use crate::scoring::outcome::{Label, OutcomeScore, score};

use super::args::OutcomeArgs;
use super::concluded::{Concluded, gather};
use super::input;
use super::table::percent;

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
