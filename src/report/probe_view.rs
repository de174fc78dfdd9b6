//! The result of running the code again on changed data, in words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::probe::{ProbeKind, ProbeSummary, ProbeVerdict};

/// The probes of a run as a report gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeView {
    pub from_data: bool,
    /// A clause that begins with a capital.
    pub verdict: String,
    /// The sub-runs that were made; empty where none was.
    pub runs: String,
}

impl ProbeView {
    pub fn from_summary(summary: &ProbeSummary) -> Self {
        let detail = summary.verdict.detail().trim_end_matches('.');
        let made = || summary.runs.iter().filter(|run| run.was_made());
        let is_changed = |kind| !matches!(kind, ProbeKind::Without | ProbeKind::Unchanged);
        let verdict = match summary.verdict {
            ProbeVerdict::FromData if summary.runs.is_empty() && summary.refit.is_some() => {
                "The planned model, fitted again on the data, gives the result".to_owned()
            }
            ProbeVerdict::FromData if !made().any(|run| is_changed(run.trial.kind)) => {
                "Without the data there is no result; whether it follows other data was not told".to_owned()
            }
            ProbeVerdict::FromData => "The result comes from the data".to_owned(),
            ProbeVerdict::NotFromData { .. } => format!("The result does not come from the data: {detail}"),
            ProbeVerdict::Unstable { .. } => format!("The result is unstable: {detail}"),
            ProbeVerdict::Misread { .. } => {
                format!("The reruns do not fit what the result says it is: {detail}")
            }
            ProbeVerdict::Undecided { .. } => {
                format!("Whether the result comes from the data was not told: {detail}")
            }
        };
        let mut counts: BTreeMap<ProbeKind, usize> = BTreeMap::new();
        for run in made() {
            *counts.entry(run.trial.kind).or_default() += 1;
        }
        let runs: Vec<String> = counts
            .iter()
            .map(|(kind, count)| format!("{count}\u{a0}× {}", how(*kind, summary.column.as_deref())))
            .collect();
        Self {
            from_data: summary.verdict == ProbeVerdict::FromData,
            verdict,
            runs: runs.join(", "),
        }
    }
}

fn how(kind: ProbeKind, column: Option<&str>) -> String {
    match kind {
        ProbeKind::Without => "without the data".to_owned(),
        ProbeKind::Permuted => match column {
            Some(column) => format!("with `{column}` permuted"),
            None => "with the focal column permuted".to_owned(),
        },
        ProbeKind::Outcome => "with the outcome permuted".to_owned(),
        ProbeKind::Aligned => "with the outcome in the predictor's order".to_owned(),
        ProbeKind::Dropped => "with rows dropped".to_owned(),
        ProbeKind::Unchanged => "unchanged".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::probe::{ProbeEnd, ProbeRun, Trial};

    #[test]
    fn what_could_not_be_changed_is_not_said_to_have_run() {
        let run = |kind, ended| ProbeRun {
            trial: Trial { kind, repetition: 1 },
            seed: 1,
            ended,
            focal: None,
            further: Vec::new(),
            numbers: None,
            dropped: None,
            rows: None,
            data: None,
            unwritten: Vec::new(),
            wall_ms: 1,
        };
        let why = || "no library here writes it".to_owned();
        let mut summary = ProbeSummary::none("");
        summary.verdict = ProbeVerdict::FromData;
        summary.runs = vec![
            run(ProbeKind::Without, ProbeEnd::Ran),
            run(
                ProbeKind::Permuted,
                ProbeEnd::NotMade {
                    why: why(),
                    cause: None,
                },
            ),
        ];
        let found = ProbeView::from_summary(&summary);
        assert_eq!(found.runs, "1\u{a0}× without the data");
        assert_eq!(
            found.verdict,
            "Without the data there is no result; whether it follows other data was not told"
        );
        summary.runs.push(run(ProbeKind::Dropped, ProbeEnd::Ran));
        assert_eq!(
            ProbeView::from_summary(&summary).verdict,
            "The result comes from the data"
        );
    }

    #[test]
    fn what_was_not_told_is_no_verdict() {
        let found = ProbeView::from_summary(&ProbeSummary::none("no time was left."));
        assert!(!found.from_data && found.runs.is_empty());
        assert_eq!(
            found.verdict,
            "Whether the result comes from the data was not told: no time was left"
        );
    }
}
