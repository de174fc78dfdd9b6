//! The result of running the code again on changed data, in words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::probe::{ProbeKind, ProbeSummary, ProbeVerdict};
use crate::domain::refit::Refit;
use crate::domain::verdict::Verdict;
use crate::verdict::judged::capital;

use super::verdict_line::repeats;

/// The probes of a run as a report gives them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeView {
    pub from_data: bool,
    /// A clause that begins with a capital.
    pub verdict: String,
    /// The sub-runs that were made; empty if there are none.
    pub runs: String,
    /// Whether a column was permuted in one of them.
    #[serde(default)]
    pub permuted: bool,
}

impl ProbeView {
    /// The probes beside a verdict: a finding that its reason or its doubts give is not repeated.
    pub fn new(summary: &ProbeSummary, verdict: Option<&Verdict>) -> Self {
        let detail = summary.verdict.detail().trim_end_matches('.');
        let is_said = verdict.is_some_and(|verdict| {
            let doubts = verdict.doubts.iter().map(|doubt| doubt.detail.as_str());
            let mut texts = doubts.chain([verdict.reason.as_str()]);
            texts.any(|text| repeats(text, &capital(detail)))
        });
        let with_detail = |head: &str| match is_said {
            true => head.to_owned(),
            false => format!("{head}: {detail}"),
        };
        let made = || summary.runs.iter().filter(|run| run.was_made());
        let is_changed = |kind| !matches!(kind, ProbeKind::Without | ProbeKind::Unchanged);
        let verdict = match summary.verdict {
            ProbeVerdict::FromData if summary.runs.is_empty() && summary.refit.is_some() => {
                let sentence = summary.refit.as_ref().map(Refit::sentence).unwrap_or_default();
                sentence.trim_end_matches('.').to_owned()
            }
            ProbeVerdict::FromData if !made().any(|run| is_changed(run.trial.kind)) => {
                "Without the data the code gives no result. It was not run on changed data".to_owned()
            }
            ProbeVerdict::FromData => "The result comes from the data".to_owned(),
            ProbeVerdict::NotFromData { .. } => with_detail("The result does not come from the data"),
            ProbeVerdict::Unstable { .. } => with_detail("The result is unstable"),
            ProbeVerdict::Misread { .. } => with_detail("The reruns contradict the name of the result"),
            ProbeVerdict::Undecided { .. } => {
                with_detail("The reruns do not show whether the result comes from the data")
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
            permuted: made().any(|run| matches!(run.trial.kind, ProbeKind::Permuted | ProbeKind::Outcome)),
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
    use crate::domain::doubt::{Doubt, DoubtCause};
    use crate::domain::probe::{ProbeEnd, ProbeRun, Trial};
    use crate::domain::verdict::Outcome;

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
        let found = ProbeView::new(&summary, None);
        assert_eq!(found.runs, "1\u{a0}× without the data");
        assert_eq!(
            found.verdict,
            "Without the data the code gives no result. It was not run on changed data"
        );
        summary.runs.push(run(ProbeKind::Dropped, ProbeEnd::Ran));
        assert_eq!(
            ProbeView::new(&summary, None).verdict,
            "The result comes from the data"
        );
    }

    #[test]
    fn an_undecided_probe_says_why_once() {
        let found = ProbeView::new(&ProbeSummary::none("no time was left."), None);
        assert!(!found.from_data && found.runs.is_empty());
        assert_eq!(
            found.verdict,
            "The reruns do not show whether the result comes from the data: no time was left"
        );
        // The doubt says why, and says it once.
        let said = Verdict {
            doubts: vec![Doubt::beside(
                DoubtCause::NotFromData,
                "It was not told: no time was left.",
            )],
            ..Verdict::plain(Outcome::Met, "`x` is 3")
        };
        let summary = ProbeSummary::none("no time was left.");
        assert_eq!(
            ProbeView::new(&summary, Some(&said)).verdict,
            "The reruns do not show whether the result comes from the data"
        );
    }
}
