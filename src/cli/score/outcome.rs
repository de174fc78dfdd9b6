//! `reprise score outcome`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::domain::verdict::HumanLabel;
use crate::scoring::aggregate::json::{Node, overridden};
use crate::scoring::outcome::{Label, OutcomeScore, score};

use super::args::OutcomeArgs;
use super::input;
use super::run_outcome::{Gathered, RunOutcome, gather};
use super::table::percent;

/// Compares verdicts with labels.
pub fn outcome(printer: Printer, args: &OutcomeArgs) -> Result<Status, Failure> {
    let mut gathered = Gathered::default();
    let labels = match &args.labels {
        Some(path) => Some(labels(path, &mut gathered.problems)?),
        None => None,
    };
    for path in &args.paths {
        gather(path, &mut gathered)?;
    }
    let Gathered {
        mut all,
        mut problems,
        ..
    } = gathered;
    label(&mut all, labels.as_ref(), &mut problems);
    for one in &all {
        if let Some(why) = &one.unfinished {
            problems.push(format!(
                "{}: {why} It counts neither right nor wrong.",
                one.source
            ));
        }
    }
    let mut groups: BTreeMap<(&str, &str), Vec<&RunOutcome>> = BTreeMap::new();
    for one in all.iter().filter(|one| one.label.is_some()) {
        groups.entry((&one.model, &one.setting)).or_default().push(one);
    }
    let scored: Vec<Scored> = groups.into_iter().map(Scored::of).collect();
    for problem in &problems {
        printer.note(problem);
    }
    if scored.is_empty() {
        return Err(Failure::usage(format!(
            "no verdict has a label to be compared with: give `--labels FILE`, a JSON object from study to one of {}",
            HumanLabel::words()
        )));
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-outcome/1", "models": scored, "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for line in scored.iter().flat_map(lines) {
        printer.line(line);
    }
    Ok(Status::Done)
}

/// The verdicts of one model in one setting.
#[derive(Serialize)]
struct Scored<'a> {
    model: &'a str,
    setting: &'a str,
    score: OutcomeScore,
    /// Runs without an end of the agent's own.
    unfinished: usize,
    verdicts: Vec<&'a RunOutcome>,
}

impl<'a> Scored<'a> {
    fn of(((model, setting), runs): ((&'a str, &'a str), Vec<&'a RunOutcome>)) -> Self {
        let ended = runs.iter().filter(|one| one.unfinished.is_none());
        let verdicts = ended.filter_map(|one| Some((one.study.as_str(), one.label?, one.verdict)));
        Self {
            model,
            setting,
            score: score(verdicts),
            unfinished: runs.iter().filter(|one| one.unfinished.is_some()).count(),
            verdicts: runs,
        }
    }
}

/// Gives each run its label, and names the studies that have none.
fn label(all: &mut [RunOutcome], labels: Option<&BTreeMap<String, Label>>, problems: &mut Vec<String>) {
    let mut without: BTreeMap<String, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for one in all {
        one.label = match labels {
            Some(labels) => labels.get(&one.study).copied(),
            None => one.own_label.clone().ok(),
        };
        if one.label.is_none() {
            let why = match (labels, &one.own_label) {
                (None, Err(why)) => format!("{}; mend it, or give `--labels`", why.trim_end_matches('.')),
                _ => "the file of labels gives them neither `met` nor `unmet`".to_owned(),
            };
            let (studies, runs) = without.entry(why).or_default();
            studies.insert(&one.study);
            *runs += 1;
        }
    }
    for (why, (studies, runs)) in without {
        problems.push(format!(
            "{runs} {} left out (study {}): {why}.",
            if runs == 1 { "verdict is" } else { "verdicts are" },
            studies.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
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
        let Node::Text(text) = value else {
            problem(&format!(
                "has a label that is no text: use one of {}",
                HumanLabel::words()
            ));
            continue;
        };
        match HumanLabel::of(text) {
            _ if again.contains(&at) => problem("is labelled more than once; the last label counts"),
            Some(HumanLabel::Met) => _ = found.insert(study.to_string(), Label::Met),
            Some(HumanLabel::Unmet) => _ = found.insert(study.to_string(), Label::Unmet),
            Some(HumanLabel::Mixed) => {
                problem("is labelled `mixed`, which no verdict can equal, so it is left out");
            }
            None => problem(&format!(
                "has the label `{text}`, which is none of {}",
                HumanLabel::words()
            )),
        }
    }
    Ok(found)
}

fn lines(scored: &Scored<'_>) -> Vec<String> {
    let score = &scored.score;
    let range = |interval: Option<Interval>| {
        interval.map_or_else(String::new, |one| {
            format!(" [{}, {}]", percent(one.lower), percent(one.upper))
        })
    };
    let share = |share: Option<f64>| percent(share.unwrap_or(0.0));
    let mut lines = vec![match scored.setting {
        "" => scored.model.to_owned(),
        setting => format!("{}, {setting}", scored.model),
    }];
    if scored.unfinished > 0 {
        lines.push(format!(
            "  {} without an end of the agent's own, left out: neither right nor wrong",
            scored.unfinished
        ));
    }
    if score.accuracy.of == 0 {
        return lines;
    }
    let all = score.macro_average;
    let accuracy = match score.has_repeats() {
        true => format!(
            "{} as the mean over {} of {} runs{}, over runs {} ({})",
            share(score.by_study),
            counted(score.studies),
            score.accuracy.of,
            range(score.accuracy_interval),
            share(score.accuracy.share()),
            score.accuracy
        ),
        false => format!(
            "{} ({}{})",
            share(score.accuracy.share()),
            score.accuracy,
            range(score.accuracy_interval)
        ),
    };
    lines.push(format!(
        "  accuracy {accuracy}, macro precision {} recall {} F1 {}",
        percent(all.precision),
        percent(all.recall),
        percent(all.f1)
    ));
    if let Some(baseline) = score.baseline {
        let answer = match baseline.answer {
            Label::Met => "met",
            Label::Unmet => "unmet",
        };
        lines.push(format!(
            "  always `{answer}`: accuracy {} ({}{}), macro F1 {}",
            share(baseline.accuracy.share()),
            baseline.accuracy,
            range(baseline.interval),
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
            range(score.most_interval)
        ));
    }
    lines.push(format!(
        "  of the decided alone: {} right{}",
        score.decided_accuracy,
        range(score.decided_interval)
    ));
    if score.has_repeats() {
        lines.push(
            "  runs of one study are repeats: the intervals are of the mean over studies, with n their number".to_owned(),
        );
    }
    lines
}

fn counted(studies: u64) -> String {
    format!("{studies} {}", if studies == 1 { "study" } else { "studies" })
}
