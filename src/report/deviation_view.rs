//! A deviation in the words of a table.

use serde::{Deserialize, Serialize};

use crate::verdict::deviation::Deviation;
use crate::verdict::deviation_kind::DeviationKind;

/// The part of a replication that a deviation concerns, the weightiest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// The rule, or the hypothesis that it is about.
    Criterion,
    /// How the numbers came about: data, sample, variables, model, code.
    Analysis,
    /// The programs that the code ran in.
    Environment,
    #[default]
    Other,
}

impl Concern {
    /// The part of a kind of deviation.
    pub fn from_kind(kind: DeviationKind) -> Self {
        match kind {
            DeviationKind::Hypothesis | DeviationKind::InferenceCriteria => Self::Criterion,
            DeviationKind::Data
            | DeviationKind::SampleSize
            | DeviationKind::Exclusions
            | DeviationKind::Variables
            | DeviationKind::Analysis
            | DeviationKind::Code => Self::Analysis,
            DeviationKind::Environment => Self::Environment,
            DeviationKind::Other => Self::Other,
        }
    }

    /// The heading of its deviations.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Criterion => "The criterion",
            Self::Analysis => "The analysis",
            Self::Environment => "The environment",
            Self::Other => "Other matters",
        }
    }

    /// The words after a count.
    pub fn of(self) -> &'static str {
        match self {
            Self::Criterion => "of the criterion",
            Self::Analysis => "of the analysis",
            Self::Environment => "of the environment",
            Self::Other => "of other matters",
        }
    }
}

/// One row; absent words are none that were given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviationView {
    #[serde(default)]
    pub concerns: Concern,
    /// See [`Concern::heading`].
    #[serde(default)]
    pub heading: String,
    /// See [`Concern::of`].
    #[serde(default)]
    pub of: String,
    pub what: String,
    pub kind: String,
    pub when: String,
    pub why: Option<String>,
    /// `yes`, `no` or `not known`.
    pub could_change: String,
    pub plan: Option<String>,
    pub code: Option<String>,
    pub report: Option<String>,
}

impl DeviationView {
    /// The rows of a table, ordered by what they concern.
    pub fn table(deviations: &[Deviation]) -> Vec<Self> {
        let mut rows: Vec<Self> = deviations.iter().map(Self::from_deviation).collect();
        rows.sort_by_key(|row| row.concerns);
        rows
    }

    pub fn from_deviation(deviation: &Deviation) -> Self {
        let concerns = Concern::from_kind(deviation.kind);
        Self {
            concerns,
            heading: concerns.heading().to_owned(),
            of: concerns.of().to_owned(),
            what: deviation.what.clone(),
            kind: deviation.kind.words().to_owned(),
            when: deviation.when.words().to_owned(),
            why: deviation.why.clone(),
            could_change: match deviation.could_change {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not known",
            }
            .to_owned(),
            plan: deviation.plan.clone(),
            code: deviation.code.clone(),
            report: deviation.report.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::deviation_kind::Timing;

    #[test]
    fn what_concerns_the_criterion_stands_first() {
        let kinds = [
            DeviationKind::Other,
            DeviationKind::Environment,
            DeviationKind::Code,
            DeviationKind::InferenceCriteria,
        ];
        let deviations = kinds.map(|kind| Deviation {
            what: String::new(),
            place: None,
            kind,
            when: Timing::NotSaid,
            why: None,
            could_change: None,
            plan: None,
            code: None,
            report: None,
        });
        let rows = DeviationView::table(&deviations);
        let headings: Vec<&str> = rows.iter().map(|row| row.heading.as_str()).collect();
        assert_eq!(
            headings,
            [
                "The criterion",
                "The analysis",
                "The environment",
                "Other matters"
            ]
        );
    }
}
