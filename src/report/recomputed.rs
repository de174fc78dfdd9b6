//! A recorded verdict beside the one by the rules of this version.

use serde::{Deserialize, Serialize};

use crate::domain::doubt::DoubtCause;
use crate::domain::finding::Finding;
use crate::domain::verdict::{Outcome, Verdict};
use crate::verdict::figure::{figure, p_figure};

use super::verdict_line::{DoubtView, doubts, line};

/// Both verdicts as lines, and what makes them differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recomputed {
    /// The verdict in the journal; absent of a run without one.
    pub recorded: Option<String>,
    /// The verdict by the rules of this version.
    pub line: String,
    pub outcome: Outcome,
    pub cause: Option<DoubtCause>,
    pub doubts: Vec<DoubtView>,
    /// True if outcome, cause and deciding numbers are the same.
    pub same: bool,
    /// Why the lines differ, in sentences; empty where they do not.
    pub differences: Vec<String>,
}

impl Recomputed {
    pub fn compare(recorded: Option<&Verdict>, now: &Verdict) -> Self {
        let differences = recorded.map(|recorded| differences(recorded, now));
        Self {
            recorded: recorded.map(line),
            line: line(now),
            outcome: now.outcome,
            cause: now.cause,
            doubts: doubts(now),
            same: differences.as_ref().is_some_and(Vec::is_empty),
            differences: differences.unwrap_or_else(|| vec!["The journal has no verdict yet.".to_owned()]),
        }
    }
}

fn differences(recorded: &Verdict, now: &Verdict) -> Vec<String> {
    let mut found = Vec::new();
    if recorded.outcome != now.outcome {
        found.push(format!(
            "The journal has '{}', and the rules of this version give '{}'.",
            recorded.outcome, now.outcome
        ));
    }
    // A version without causes recorded none, which alone is no difference.
    if let (Some(before), Some(after)) = (recorded.cause, now.cause)
        && before != after
    {
        found.push(format!(
            "The cause of the open verdict was '{before}' and is '{after}'."
        ));
    }
    for doubt in now.doubts.iter().filter(|doubt| doubt.decides) {
        if !recorded.doubts.contains(doubt) {
            found.push(format!("Decides in this version: {}", doubt.detail));
        }
    }
    for doubt in recorded.doubts.iter().filter(|doubt| doubt.decides) {
        if !now.doubts.contains(doubt) {
            found.push(format!("Decided when it was recorded: {}", doubt.detail));
        }
    }
    if let (Some(before), Some(after)) = (&recorded.finding, &now.finding) {
        let (before, after) = (numbers(before), numbers(after));
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            // A number that one of both did not look at is none that differs.
            if let (Some(before), Some(after)) = (before, after)
                && before != after
            {
                found.push(format!("The {name} was {before}, and is {after}."));
            }
        }
    }
    if recorded.source != now.source
        && !found.is_empty()
        && let Some(source) = now.source
    {
        found.push(match recorded.source {
            Some(before) => format!("The numbers were {}, and are {}.", before.words(), source.words()),
            None => format!("In this version the numbers are {}.", source.words()),
        });
    }
    if now.departure.is_some() && recorded.departure != now.departure {
        found.push("This version states how the plan departs from the fixed rule.".to_owned());
    }
    found
}

fn numbers(finding: &Finding) -> [(&'static str, Option<String>); 4] {
    [
        ("estimate", finding.estimate.map(figure)),
        ("standard error", finding.standard_error.map(figure)),
        ("p-value", finding.p_value.map(p_figure)),
        ("n", finding.n.map(|n| n.to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::doubt::Doubt;

    fn with(outcome: Outcome, estimate: f64) -> Verdict {
        Verdict {
            finding: Some(Finding {
                estimate: Some(estimate),
                ..Finding::default()
            }),
            ..Verdict::plain(outcome, "so")
        }
    }

    #[test]
    fn the_same_is_said_to_be_the_same() {
        let both = Recomputed::compare(Some(&with(Outcome::Met, 1.0)), &with(Outcome::Met, 1.0));
        assert!(both.same && both.differences.is_empty());
        assert_eq!(both.recorded.as_deref(), Some("criterion met: so"));
    }

    #[test]
    fn what_makes_them_differ_is_named() {
        let doubt = Doubt::deciding(DoubtCause::PValue, "p .2 does not go with it.");
        let now = Verdict {
            cause: Some(DoubtCause::PValue),
            doubts: vec![doubt],
            ..with(Outcome::Inconclusive, 2.0)
        };
        let both = Recomputed::compare(Some(&with(Outcome::Met, 1.0)), &now);
        assert!(!both.same);
        assert_eq!(
            both.differences,
            [
                "The journal has 'criterion met', and the rules of this version give 'inconclusive'.",
                "Decides in this version: p .2 does not go with it.",
                "The estimate was 1, and is 2.",
            ]
        );
        assert!(!Recomputed::compare(None, &now).same);
    }
}
