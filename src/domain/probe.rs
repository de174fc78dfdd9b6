//! Running approved code again on changed data, to see whether its result comes from them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::data_table::DataTable;
use super::digest::Digest;
use super::execution::Ending;
use super::finding::Finding;
use super::misreading::Misreading;
use super::refit::Refit;
use super::workspace_path::WorkspacePath;

/// The settings of probes, as they were asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeSettings {
    /// Seconds that they may take; absent: the larger of 20 and five times the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl ProbeSettings {
    /// Milliseconds that the probes of an execution of `wall_ms` may take.
    pub fn milliseconds(&self, wall_ms: u64) -> u64 {
        match self.seconds {
            Some(seconds) => seconds.saturating_mul(1000),
            None => wall_ms.saturating_mul(5).max(20_000),
        }
    }
}

/// The change of the data in a sub-run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeKind {
    /// The data files are gone.
    Without,
    /// The focal predictor's column is in another order.
    Permuted,
    /// A tenth of the rows is gone.
    Dropped,
    /// Nothing but the number of threads and the hash seed.
    Unchanged,
    /// The column of the planned outcome is in another order.
    Outcome,
    /// The values of the planned outcome are put in the order of the focal predictor:
    /// rising with it, and falling where it is repeated.
    Aligned,
}

impl ProbeKind {
    /// Whether it needs copies of the data with other content.
    pub fn changes_content(self) -> bool {
        matches!(
            self,
            Self::Permuted | Self::Dropped | Self::Outcome | Self::Aligned
        )
    }

    /// The word in sentences and in names of folders.
    pub fn word(self) -> &'static str {
        match self {
            Self::Without => "without",
            Self::Permuted => "permuted",
            Self::Dropped => "dropped",
            Self::Unchanged => "unchanged",
            Self::Outcome => "outcome",
            Self::Aligned => "aligned",
        }
    }
}

impl fmt::Display for ProbeKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// One sub-run that is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Trial {
    // An event's own tag is `kind`.
    #[serde(rename = "change")]
    pub kind: ProbeKind,
    /// Counted from 1 within its kind.
    pub repetition: u32,
}

impl Trial {
    /// The seed of the trial, made of the seed of all.
    pub fn seed(self, base: u64) -> u64 {
        let digest = Digest::compute(format!("{base} {} {}", self.kind, self.repetition)).hex();
        // 52 bits: every language that changes data holds them exactly.
        digest
            .get(..13)
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .unwrap_or(base)
    }
}

/// The end of a sub-run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum ProbeEnd {
    /// Every command ended well.
    Ran,
    /// A command failed on the changed data.
    Failed { ending: Ending },
    /// The data could not be changed in that way.
    NotMade {
        why: String,
        /// Absent in journals of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<NotMadeCause>,
    },
}

/// The cause for which a probe's data could not be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotMadeCause {
    /// The run's environment has no library that writes the format.
    NoLibrary,
    /// Anything else.
    Other,
}

impl NotMadeCause {
    /// Reads what a program that changes data reports: the names of Python's own errors, and a sentence that
    /// journals of earlier versions hold in the place of a cause.
    pub fn from_report(why: &str) -> Self {
        let signs = ["ModuleNotFoundError", "ImportError", "no program that writes"];
        match signs.iter().any(|sign| why.contains(sign)) {
            true => Self::NoLibrary,
            false => Self::Other,
        }
    }
}

/// One sub-run, with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeRun {
    #[serde(flatten)]
    pub trial: Trial,
    pub seed: u64,
    pub ended: ProbeEnd,
    /// The focal result; absent where the output has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focal: Option<Finding>,
    /// Further results that the verdict rests on, each in its place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Option<Finding>>,
    /// Digest of every number that it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Digest>,
    /// The share of rows that was taken away, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<f64>,
    /// The rows that there were before some were taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Digest of the data as changed; it follows from the approved data, the
    /// seed and the programs that change them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Digest>,
    /// Opened files that may hold rows and stayed as they are when rows of the others were
    /// dropped, since nothing writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<WorkspacePath>,
    pub wall_ms: u64,
}

impl ProbeRun {
    /// Whether the commands ended well.
    pub fn ran(&self) -> bool {
        self.ended == ProbeEnd::Ran
    }

    /// Whether there was anything to run.
    pub fn was_made(&self) -> bool {
        !matches!(self.ended, ProbeEnd::NotMade { .. })
    }
}

/// The probe that gave a result away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Giveaway {
    /// It appears without the data.
    Without,
    /// It stays when the focal predictor is permuted.
    Permuted,
    /// It stays when rows are dropped.
    Dropped,
    /// It stands in the code.
    Literal,
    /// It stays when the planned outcome is permuted.
    Outcome,
}

/// The verdict of the probes on the origin of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum ProbeVerdict {
    FromData,
    NotFromData {
        by: Giveaway,
        /// One sentence with the numbers.
        detail: String,
    },
    /// It jumps further than a tenth of the rows could carry it.
    Unstable {
        detail: String,
    },
    /// It comes from the data, and is not what it is said to be.
    Misread {
        detail: String,
    },
    Undecided {
        why: String,
    },
}

impl ProbeVerdict {
    /// The words used in reports.
    pub fn words(&self) -> &'static str {
        match self {
            Self::FromData => "comes from the data",
            Self::NotFromData { .. } => "not from the data",
            Self::Unstable { .. } => "unstable",
            Self::Misread { .. } => "not what it is said to be",
            Self::Undecided { .. } => "not told",
        }
    }

    /// The sentence that goes with it.
    pub fn detail(&self) -> &str {
        match self {
            Self::FromData => "",
            Self::NotFromData { detail, .. } | Self::Unstable { detail } | Self::Misread { detail } => detail,
            Self::Undecided { why } => why,
        }
    }
}

/// All probes of a run and what they say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeSummary {
    #[serde(flatten)]
    pub verdict: ProbeVerdict,
    /// The result that was probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focal: Option<Finding>,
    /// The column that was permuted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The column of the planned outcome, where it was permuted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What speaks against the meaning of the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misreadings: Vec<Misreading>,
    /// The seed that every other follows from.
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<ProbeRun>,
    /// The largest relative difference under other threads and another hash seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged_within: Option<f64>,
    /// The tables that the code opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<DataTable>,
    /// Whether what ran left nothing behind that can be run again, by its own doing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrepeatable: bool,
    /// The planned model, if it was fitted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refit: Option<Refit>,
    /// What was not probed or not told, and why; a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ProbeSummary {
    /// What it came to in one line, with the sub-runs that were made.
    pub fn line(&self) -> String {
        let mut counts: BTreeMap<ProbeKind, usize> = BTreeMap::new();
        for run in &self.runs {
            *counts.entry(run.trial.kind).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        let mut line = self.verdict.words().to_owned();
        if !self.verdict.detail().is_empty() {
            line.push_str(&format!(": {}", self.verdict.detail()));
        }
        if !counts.is_empty() {
            line.push_str(&format!(" ({})", counts.join(", ")));
        }
        line
    }

    /// Probes of which none was made.
    pub fn none(why: impl Into<String>) -> Self {
        Self {
            verdict: ProbeVerdict::Undecided { why: why.into() },
            focal: None,
            column: None,
            outcome: None,
            misreadings: Vec::new(),
            seed: 0,
            runs: Vec::new(),
            unchanged_within: None,
            tables: Vec::new(),
            unrepeatable: false,
            refit: None,
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_what_was_asked_for_or_follows_from_the_execution() {
        let default = ProbeSettings::default();
        assert_eq!(default.milliseconds(100), 20_000);
        assert_eq!(default.milliseconds(60_000), 300_000);
        assert_eq!(ProbeSettings { seconds: Some(3) }.milliseconds(60_000), 3_000);
    }

    #[test]
    fn every_trial_has_a_seed_of_its_own() {
        let trial = |kind, repetition| Trial { kind, repetition };
        let one = trial(ProbeKind::Permuted, 1).seed(7);
        assert_eq!(one, trial(ProbeKind::Permuted, 1).seed(7));
        assert_ne!(one, trial(ProbeKind::Permuted, 2).seed(7));
        assert_ne!(one, trial(ProbeKind::Dropped, 1).seed(7));
        assert_ne!(one, trial(ProbeKind::Permuted, 1).seed(8));
        assert!(one < 1 << 52);
    }

    #[test]
    fn a_summary_is_read_back_as_it_was_written() {
        let mut summary = ProbeSummary::none("no time");
        summary.runs.push(ProbeRun {
            trial: Trial {
                kind: ProbeKind::Without,
                repetition: 1,
            },
            seed: 3,
            ended: ProbeEnd::Failed {
                ending: Ending::Exited(1),
            },
            focal: None,
            further: Vec::new(),
            numbers: None,
            dropped: None,
            rows: None,
            data: None,
            unwritten: Vec::new(),
            wall_ms: 12,
        });
        let text = serde_json::to_string(&summary).unwrap();
        assert!(text.contains(r#""verdict":"undecided""#), "{text}");
        assert_eq!(serde_json::from_str::<ProbeSummary>(&text).unwrap(), summary);
    }
}
