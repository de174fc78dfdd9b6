//! The probe of a permuted outcome.

use crate::domain::finding::Finding;
use crate::domain::misreading::{Facet, Misreading};
use crate::domain::probe::{ProbeKind, ProbeRun};

use super::case::{Case, FocalColumn, is_equal};
use super::dropped::{self, Dropped};
use super::permuted::{self, LEAST, Permuted};
use super::planned::OutcomeColumn;
use super::scatter::Scatter;
use super::words::words;

/// The finding of the runs with a permuted outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum PermutedOutcome {
    /// The association goes with it.
    Goes,
    /// Neither this nor permuting the predictor moves the result.
    NotFromData(String),
    Misread(Misreading),
    /// Nothing, so that more of them would say nothing.
    Void,
    NotTold,
}

/// Judges the runs with a permuted outcome.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> PermutedOutcome {
    let Some(column) = &case.planned.outcome else {
        return PermutedOutcome::Void;
    };
    let told: Vec<&Finding> = case
        .told(runs, ProbeKind::Outcome)
        .map(|(_, finding)| finding)
        .collect();
    if told.len() < LEAST as usize {
        return PermutedOutcome::NotTold;
    }
    let named = matches!(case.column, FocalColumn::Named(_));
    let follows = named && permuted::judge(case, runs, 0) == Permuted::Scatters;
    // A column that may be one of several that the outcome is made of says nothing by itself.
    let misread = |detail| match column.sure {
        true => PermutedOutcome::Misread(Misreading {
            facet: Facet::Outcome,
            detail,
            decides: follows && !case.planned.paired,
        }),
        false => PermutedOutcome::Void,
    };
    if told.iter().all(|finding| same_figures(&case.focal, finding)) {
        // Code that the dropped rows do not move either is another finding.
        return match dropped::judge(case, runs) {
            Dropped::Moves if follows => misread(format!(
                "with `{}` permuted, the planned outcome, the result stays exactly the same, so it is the result of another outcome",
                column.name
            )),
            _ => PermutedOutcome::Void,
        };
    }
    if told
        .iter()
        .all(|finding| same_number(case.focal.estimate, finding.estimate) && finding.estimate.is_some())
    {
        // A mean of the outcome, such as a paired difference.
        return PermutedOutcome::Void;
    }
    match permuted::ratio(case, &told) {
        Some(ratio) if ratio >= permuted::STAYS => stays(case, runs, column, &told),
        Some(ratio) if ratio > permuted::SCATTERS && !permuted::lies_near(case) => PermutedOutcome::NotTold,
        None => PermutedOutcome::Void,
        Some(_) => match Scatter::measure(case, &told).and_then(|scatter| scatter.off_centre()) {
            Some(centre) => misread(format!(
                "with `{}` permuted, the planned outcome, the result is on average {:.1} standard errors from no effect ({} runs, SD {:.1}) and should be close to it: part of what the model explains is not that column",
                column.name, centre.mean, centre.count, centre.width
            )),
            None => PermutedOutcome::Goes,
        },
    }
}

fn stays(case: &Case, runs: &[ProbeRun], column: &OutcomeColumn, told: &[&Finding]) -> PermutedOutcome {
    let sentence = format!(
        "with `{}` permuted, the planned outcome, the result stays near {} instead of scattering around {} ({})",
        column.name,
        words(&case.focal),
        case.null,
        told.iter()
            .take(4)
            .map(|finding| words(finding))
            .collect::<Vec<_>>()
            .join("; ")
    );
    let comparable = column.sure && !case.planned.paired;
    match &case.column {
        FocalColumn::Likely(predictor) if comparable && permuted::stays(case, runs) => {
            PermutedOutcome::NotFromData(format!(
                "{sentence}, and it stays there with `{predictor}` permuted, the planned predictor"
            ))
        }
        FocalColumn::Named(_) if column.sure && permuted::judge(case, runs, 0) == Permuted::Scatters => {
            PermutedOutcome::Misread(Misreading {
                facet: Facet::Outcome,
                detail: sentence,
                decides: comparable,
            })
        }
        _ => PermutedOutcome::Void,
    }
}

/// Whether more such runs are worth their time.
pub fn is_open(case: &Case, runs: &[ProbeRun]) -> bool {
    match judge(case, runs) {
        PermutedOutcome::NotTold => true,
        PermutedOutcome::Goes => {
            let told: Vec<&Finding> = case
                .told(runs, ProbeKind::Outcome)
                .map(|(_, finding)| finding)
                .collect();
            Scatter::measure(case, &told).is_some_and(|scatter| scatter.looks_odd(false))
        }
        _ => false,
    }
}

fn same_figures(one: &Finding, other: &Finding) -> bool {
    same_number(one.estimate, other.estimate)
        && same_number(one.standard_error, other.standard_error)
        && same_number(one.p_value.map(|p| p.value), other.p_value.map(|p| p.value))
        && same_number(
            one.statistic.as_ref().map(|statistic| statistic.value),
            other.statistic.as_ref().map(|statistic| statistic.value),
        )
}

fn same_number(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_equal(one, other),
        (None, None) => true,
        _ => false,
    }
}
