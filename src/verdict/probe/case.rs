//! The case of one result: everything known of it before and while it is probed.

use crate::domain::digest::Digest;
use crate::domain::finding::Finding;
use crate::domain::number_text;
use crate::domain::probe::{ProbeKind, ProbeRun};
use crate::domain::refit::Refit;

use super::planned::PlannedReruns;

/// The column that is permuted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FocalColumn {
    /// Named as the focal term is.
    Named(String),
    /// Named by the plan's words for its predictors, which may mean another.
    Likely(String),
    /// None, and why.
    Absent(String),
}

impl FocalColumn {
    /// The column's name.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) | Self::Likely(name) => Some(name),
            Self::Absent(_) => None,
        }
    }
}

/// A result that is probed.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The result of the execution itself.
    pub focal: Finding,
    /// Where no effect lies.
    pub null: f64,
    /// Digest of every number that the execution gave.
    pub numbers: Digest,
    pub column: FocalColumn,
    /// The focal number as it stands in the code, where it does.
    pub literal: Option<String>,
    /// What the plan says that the result is.
    pub planned: PlannedReruns,
    /// What the verdict rests on besides.
    pub further: Vec<Part>,
    /// The groups whose means decide.
    pub groups: Vec<String>,
    /// The level of a two-sided test that decides; `None` where another test does.
    pub level: Option<f64>,
}

/// A further result that the verdict rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub finding: Finding,
    /// Its number as it stands in the code, where it does.
    pub literal: Option<String>,
}

impl Case {
    /// The finished sub-runs of a kind that gave the focal result.
    pub fn told<'a>(
        &self,
        runs: &'a [ProbeRun],
        kind: ProbeKind,
    ) -> impl Iterator<Item = (&'a ProbeRun, &'a Finding)> + Clone {
        runs_of_kind(runs, kind)
            .filter(|run| run.ran())
            .filter_map(|run| Some((run, run.focal.as_ref()?)))
    }

    /// Whether the planned model, fitted again, gave the whole result, so that no rerun can say more.
    pub fn is_settled(&self) -> bool {
        let agrees = matches!(self.planned.refit, Some(Refit::Agrees { is_whole: true, .. }));
        agrees && self.further.is_empty() && self.groups.is_empty()
    }

    /// Whether a sub-run gave every number exactly as the execution did.
    pub fn is_same(&self, run: &ProbeRun) -> bool {
        run.ran() && run.numbers == Some(self.numbers)
    }
}

/// The sub-runs of a kind.
pub fn runs_of_kind(runs: &[ProbeRun], kind: ProbeKind) -> impl Iterator<Item = &ProbeRun> + Clone {
    runs.iter().filter(move |run| run.trial.kind == kind)
}

/// Digest of the numbers that a run recorded, or printed where it recorded none.
pub fn digest_of_numbers(results: &str, stdout: &str) -> Digest {
    let text = if results.trim().is_empty() {
        stdout
    } else {
        results
    };
    let mut numbers = String::new();
    for line in text.lines() {
        for number in number_text::numbers(line) {
            numbers.push_str(&format!("{:e} ", number.value));
        }
    }
    Digest::compute(numbers)
}

/// Whether two numbers are one, but for the last bits.
pub fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
