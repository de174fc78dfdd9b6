//! The labels that people gave studies, for the runs of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::format;
use crate::domain::verdict::HumanLabel;
use crate::grading::discovery::benchmark_outcomes::{self, BenchmarkLabel};
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::run_outcome::{NoOwnLabel, RunOutcome, SaidVerdict, references};
use crate::grading::scorecard::code::label_of;
use crate::scoring::outcome::{Label, LabelledVerdict};
use crate::scoring::released::json::{Node, overridden};

/// Gives each run its label, and names the studies that have none. Without a file of labels
/// a study of ReplicatorBench's that carries none has the one that is shipped, and is named.
pub fn give(all: &mut [RunOutcome], labels: Option<&BTreeMap<String, Label>>, problems: &mut Vec<String>) {
    let mut shipped: BTreeMap<&str, &BenchmarkLabel> = BTreeMap::new();
    let mut without: BTreeMap<String, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for one in all {
        one.label = match labels {
            Some(labels) => labels.get(&one.study).copied(),
            None => one.own_label.clone().ok().or_else(|| {
                let row = benchmark_outcomes::shipped().row(&one.study);
                let row = row.filter(|_| one.is_of_benchmark)?;
                shipped.insert(&row.study, row);
                row.label()
            }),
        };
        if one.label.is_none() {
            let why = match (labels, &one.own_label) {
                (None, Err(why)) => format!("{why}; mend it, or give `--labels`"),
                _ => "the file of labels gives them neither `met` nor `unmet`".to_owned(),
            };
            let (studies, runs) = without.entry(why).or_default();
            studies.insert(&one.study);
            *runs += 1;
        }
    }
    problems.extend(told_of(&shipped));
    for (why, (studies, runs)) in without {
        problems.push(format!(
            "{runs} {} left out (study {}): {why}.",
            format::plural(runs, "verdict is", "verdicts are"),
            studies.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
}

/// The label of the study in a folder: its own, else the one that is shipped for a study of ReplicatorBench's.
///
/// # Errors
/// A study that cannot be read, or without a label that a verdict can equal.
pub fn of_study(folder: &Path, study: &str) -> Result<Label, NoOwnLabel> {
    let gold = references(folder)?;
    label_of(&gold).or_else(|why| {
        let row = benchmark_outcomes::shipped().row(study);
        let row = row.filter(|_| gold.report.is_some());
        row.and_then(BenchmarkLabel::label).ok_or_else(|| why.into())
    })
}

/// The labels of studies, each looked up once: a bench has many runs of each.
#[derive(Debug, Default)]
pub struct StudyLabels(BTreeMap<PathBuf, Option<Label>>);

impl StudyLabels {
    /// A verdict beside the label of its study; `None` where there is no label.
    pub fn beside(&mut self, said: &SaidVerdict) -> Option<LabelledVerdict> {
        let of_folder = || of_study(&said.folder, &said.study).ok();
        let label = *self.0.entry(said.folder.clone()).or_insert_with(of_folder);
        label.map(|label| LabelledVerdict {
            label,
            is_right: said.verdict == label.into(),
        })
    }
}

/// What has to be said of labels that nobody has given.
fn told_of(shipped: &BTreeMap<&str, &BenchmarkLabel>) -> Vec<String> {
    let mut studies: Vec<&str> = shipped.keys().copied().collect();
    studies.sort_by_key(|study| (study.len(), *study));
    if studies.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "ReplicatorBench gives no labels, so those of its studies {} are the ones that are shipped, one reading of each \
         human report; `--labels FILE` gives others.",
        studies.join(", ")
    )];
    for study in studies {
        let row = shipped[study];
        if let (Some(other), Some(note)) = (row.other, &row.note) {
            lines.push(format!(
                "Study {study} is labelled `{}` and could be `{}`: {note}",
                row.label.word(),
                other.word()
            ));
        }
    }
    lines
}

/// The labels of a file that can be used; a study that people found mixed has none.
///
/// # Errors
/// A file that cannot be read, or is no JSON object.
pub fn read(path: &Path, problems: &mut Vec<String>) -> Result<BTreeMap<String, Label>, DiscoveryError> {
    let bytes = bounded_file::read(path)?;
    let shape = |why: &str| DiscoveryError::Labels {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    let node = Node::parse(&bytes).map_err(|error| shape(&error.to_string()))?;
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
        match HumanLabel::parse(text) {
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
