//! The outcomes of ReplicatorBench's studies, which its released files do not hold.
//!
//! The rows and their sources stand in `benchmark_outcomes.toml`. They are for runs on the
//! benchmark's own studies, whose folders have no label; a file of labels takes their place.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::mode::Setting;
use crate::domain::verdict::HumanLabel;
use crate::scoring::outcome::{Label, RunVerdict};

/// The outcome of one study's replication, as people recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkLabel {
    pub study: String,
    pub label: HumanLabel,
    /// Where the row comes from.
    pub source: String,
    /// The label that another reading gives.
    #[serde(default)]
    pub other: Option<HumanLabel>,
    #[serde(default)]
    pub note: Option<String>,
}

/// The reading by hand of an answer that is neither yes nor no.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkReading {
    pub setting: Setting,
    pub model: String,
    pub study: String,
    pub verdict: HumanLabel,
    pub source: String,
    pub note: String,
}

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkOutcomes {
    #[serde(rename = "label")]
    pub labels: Vec<BenchmarkLabel>,
    #[serde(rename = "reading")]
    pub readings: Vec<BenchmarkReading>,
}

static SHIPPED: LazyLock<BenchmarkOutcomes> = LazyLock::new(|| {
    // A file of our own that a test reads: nothing is lost where it fails.
    toml::from_str(include_str!("benchmark_outcomes.toml")).unwrap_or(BenchmarkOutcomes {
        labels: Vec::new(),
        readings: Vec::new(),
    })
});

/// The outcomes that the program ships.
pub fn shipped() -> &'static BenchmarkOutcomes {
    &SHIPPED
}

impl BenchmarkOutcomes {
    /// The row of a study.
    pub fn row(&self, study: &str) -> Option<&BenchmarkLabel> {
        self.labels.iter().find(|row| row.study == study)
    }

    /// The verdict of a mixed answer as it was read by hand.
    pub fn reading(&self, setting: &str, model: &str, study: &str) -> Option<RunVerdict> {
        let row = self
            .readings
            .iter()
            .find(|row| row.setting.name() == setting && row.model == model && row.study == study)?;
        label_of(row.verdict).map(RunVerdict::from)
    }
}

impl BenchmarkLabel {
    /// The label that a verdict can equal.
    pub fn label(&self) -> Option<Label> {
        label_of(self.label)
    }
}

fn label_of(label: HumanLabel) -> Option<Label> {
    match label {
        HumanLabel::Met => Some(Label::Met),
        HumanLabel::Unmet => Some(Label::Unmet),
        HumanLabel::Mixed => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_study_has_one_label_with_its_source() {
        let read: BenchmarkOutcomes = toml::from_str(include_str!("benchmark_outcomes.toml")).unwrap();
        let studies: BTreeSet<u32> = read.labels.iter().map(|row| row.study.parse().unwrap()).collect();
        assert_eq!((studies.len(), read.labels.len()), (39, 39));
        assert!(studies.iter().eq((1..=39).collect::<Vec<_>>().iter()));
        let sources = ["human report", "paper's figures", "answer"];
        let labels = read.labels.iter().map(|row| row.source.as_str());
        let readings = read.readings.iter().map(|row| row.source.as_str());
        assert!(labels.chain(readings).all(|source| sources.contains(&source)));
        // Two readings of one report, and a word on why.
        assert!(
            read.labels
                .iter()
                .all(|row| row.other.is_none() || (row.other != Some(row.label) && row.note.is_some()))
        );
    }

    #[test]
    fn the_papers_split_of_its_nineteen_studies_follows() {
        let met = (1..=19)
            .filter(|study| shipped().row(&study.to_string()).unwrap().label() == Some(Label::Met))
            .count();
        assert_eq!((met, 19 - met), (14, 5));
        assert_eq!(shipped().reading("python", "gpt-5", "4"), Some(RunVerdict::Met));
        assert_eq!(shipped().reading("native", "gpt-5", "4"), None);
    }
}
