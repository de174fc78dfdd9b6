//! Two runs of one study beside each other.

use serde::{Deserialize, Serialize};

use super::align::{UnpairedCause, align};
use super::data::{Opened, given_otherwise};
use super::pair::Pair;
use super::printed::Reported;
use super::reason::{Comparability, Reason, Which};
use super::used::Used;
use crate::domain::finding::Finding;
use crate::domain::mode::Setting;
use crate::domain::verdict::Verdict;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::FileRecord;

/// One run of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    pub run: String,
    pub setting: Setting,
    pub model: String,
    pub verdict: Verdict,
    pub findings: Vec<Reported>,
    pub used: Used,
    /// The study's data as the workspace was given them.
    pub given: Vec<FileRecord>,
}

/// One run in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What sentences call it: its setting, else `first` or `second`.
    pub label: String,
    pub run: String,
    pub setting: Setting,
    pub model: String,
    pub verdict: Verdict,
    pub used: Used,
    /// Findings that it reports.
    pub findings: usize,
}

/// A finding without a partner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unpaired {
    pub run: Which,
    pub why: UnpairedCause,
    pub finding: Finding,
}

/// Everything that was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub first: Run,
    pub second: Run,
    pub comparability: Comparability,
    pub reasons: Vec<Reason>,
    /// The reasons as sentences, in their order.
    pub sentences: Vec<String>,
    pub same_verdict: bool,
    /// The focal pair first, then whatever disagrees, then the rest in the first run's order.
    pub pairs: Vec<Pair>,
    pub unpaired: Vec<Unpaired>,
    pub opened: Opened,
    /// Data files that the workspaces were given otherwise.
    pub given_otherwise: Vec<WorkspacePath>,
}

impl Comparison {
    /// Compares two runs of one study.
    pub fn new(sides: [Side; 2]) -> Self {
        let labels = labels(&sides);
        let [first, second] = &sides;
        let focal = [focal(first), focal(second)];
        let alignment = align(&first.findings, &second.findings, focal);
        let mut pairs: Vec<Pair> = alignment
            .pairs
            .iter()
            .map(|pair| {
                let is_focal = focal[0] == Some(pair.first) || focal[1] == Some(pair.second);
                Pair::new(
                    &first.findings[pair.first],
                    &second.findings[pair.second],
                    pair.by,
                    is_focal,
                )
            })
            .collect();
        pairs.sort_by_key(|pair| (!pair.focal, pair.agrees()));
        let same_focal = alignment
            .pairs
            .iter()
            .any(|pair| focal == [Some(pair.first), Some(pair.second)]);
        let mut unpaired = Vec::new();
        for (run, side, alone) in [
            (Which::First, first, &alignment.alone[0]),
            (Which::Second, second, &alignment.alone[1]),
        ] {
            unpaired.extend(alone.iter().map(|(at, why)| Unpaired {
                run,
                why: *why,
                finding: side.findings[*at].finding.clone(),
            }));
        }
        let opened = Opened::compare(&first.used, &second.used);
        let given_otherwise = given_otherwise(&first.given, &second.given);
        let mut reasons = Vec::new();
        data_reasons(&sides, &opened, &mut reasons);
        focal_reasons(&sides, &focal, same_focal, &pairs, &mut reasons);
        for pair in &pairs {
            if let (Some(first), Some(second), Some(false)) = (pair.first.n, pair.second.n, pair.same_n) {
                reasons.push(Reason::OtherN {
                    finding: pair.first.name.clone(),
                    focal: pair.focal,
                    first,
                    second,
                });
            }
        }
        if pairs.is_empty() {
            reasons.push(Reason::NothingPaired);
        }
        reasons.sort_by_key(|reason| !reason.is_definite());
        let comparability = match reasons.first() {
            None => Comparability::Comparable,
            Some(reason) if reason.is_definite() => Comparability::NotComparable,
            Some(_) => Comparability::Unknown,
        };
        let same_verdict = first.verdict.outcome == second.verdict.outcome;
        let sentences = reasons.iter().map(|reason| reason.sentence(&labels)).collect();
        let [first, second] = sides;
        let [first_label, second_label] = labels;
        Self {
            first: Run::new(first, first_label),
            second: Run::new(second, second_label),
            comparability,
            reasons,
            sentences,
            same_verdict,
            pairs,
            unpaired,
            opened,
            given_otherwise,
        }
    }

    /// Whether the runs are comparable, have one verdict, and no focal
    /// estimate of opposite sign.
    pub fn is_same(&self) -> bool {
        let opposite = self.pairs.iter().any(|pair| pair.focal && pair.signs_differ());
        self.comparability == Comparability::Comparable && self.same_verdict && !opposite
    }

    pub fn labels(&self) -> [String; 2] {
        [self.first.label.clone(), self.second.label.clone()]
    }
}

impl Run {
    fn new(side: Side, label: String) -> Self {
        Self {
            label,
            run: side.run,
            setting: side.setting,
            model: side.model,
            verdict: side.verdict,
            used: side.used,
            findings: side.findings.len(),
        }
    }
}

fn labels([first, second]: &[Side; 2]) -> [String; 2] {
    if first.setting == second.setting {
        ["first".to_owned(), "second".to_owned()]
    } else {
        [first.setting.to_string(), second.setting.to_string()]
    }
}

/// The position of the finding that the verdict was applied to.
fn focal(side: &Side) -> Option<usize> {
    let wanted = side.verdict.finding.as_ref()?;
    let place = |is_it: &dyn Fn(&Finding) -> bool| side.findings.iter().position(|one| is_it(&one.finding));
    // What the code gave may have more figures than what was reported of it.
    place(&|one| one == wanted).or_else(|| place(&|one| one.name == wanted.name))
}

/// Only a record without gaps shows that a run did not open a file.
fn data_reasons([first, second]: &[Side; 2], opened: &Opened, reasons: &mut Vec<Reason>) {
    let mut not_ran = false;
    for (run, side) in [(Which::First, first), (Which::Second, second)] {
        if side.used.scripts.is_empty() {
            not_ran = true;
            reasons.push(Reason::NothingRan { run });
        } else if !side.used.complete {
            reasons.push(Reason::IncompleteRecord { run });
        }
    }
    if not_ran {
        return;
    }
    let same_name =
        |one: &&super::used::DataFile| opened.only_second.iter().any(|other| other.path == one.path);
    let changed: Vec<WorkspacePath> = opened
        .only_first
        .iter()
        .filter(same_name)
        .map(|file| file.path.clone())
        .collect();
    for (run, files, other) in [
        (Which::First, &opened.only_first, second),
        (Which::Second, &opened.only_second, first),
    ] {
        let files: Vec<_> = files
            .iter()
            .filter(|file| !changed.contains(&file.path))
            .cloned()
            .collect();
        if !files.is_empty() && other.used.complete {
            reasons.push(Reason::OtherData { run, files });
        }
    }
    if !changed.is_empty() {
        reasons.push(Reason::OtherContent { files: changed });
    }
    if first.used.data.is_empty()
        && second.used.data.is_empty()
        && first.used.complete
        && second.used.complete
    {
        reasons.push(Reason::NoDataSeen);
    }
}

fn focal_reasons(
    [first, second]: &[Side; 2],
    focal: &[Option<usize>; 2],
    same_focal: bool,
    pairs: &[Pair],
    reasons: &mut Vec<Reason>,
) {
    for (run, side) in [(Which::First, first), (Which::Second, second)] {
        if run.pick(focal).is_none() {
            reasons.push(Reason::NoFocal { run });
        } else if same_focal
            && side
                .verdict
                .finding
                .as_ref()
                .is_some_and(|finding| finding.n.is_none())
        {
            reasons.push(Reason::NoN { run });
        }
    }
    if let [Some(a), Some(b)] = focal
        && !same_focal
        && !pairs.is_empty()
    {
        reasons.push(Reason::OtherFocal {
            first: first.findings[*a].finding.name.clone(),
            second: second.findings[*b].finding.name.clone(),
        });
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
