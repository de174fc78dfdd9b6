//! The probe of a perfect relation of the planned outcome with the focal predictor.

use crate::domain::finding::Finding;
use crate::domain::misreading::{Facet, Misreading};
use crate::domain::probe::{ProbeKind, ProbeRun};

use super::case::{Case, FocalColumn};
use super::scatter;
use super::words::words;

/// Standard errors from the null at which a perfect relation has a sign.
const CLEAR: f64 = 3.0;

/// How many such runs are wanted: a second one, falling, where the first surprises.
pub fn wanted(case: &Case, runs: &[ProbeRun]) -> u32 {
    if !case.planned.alignable || !matches!(case.column, FocalColumn::Named(_)) {
        return 0;
    }
    match turn_result(case, runs, 1) {
        Some((_, z)) if z < -CLEAR => 2,
        _ => 1,
    }
}

/// Whether the sign is turned round: an outcome that rises with the predictor gives a
/// result below no effect, and one that falls gives one above it.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Option<Misreading> {
    let column = case.column.name()?;
    let outcome = case.planned.outcome.as_ref()?;
    let (rising, z) = turn_result(case, runs, 1)?;
    let (falling, other) = turn_result(case, runs, 2)?;
    (z < -CLEAR && other > CLEAR).then(|| Misreading {
        facet: Facet::Direction,
        detail: format!(
            "with the values of `{}` put in the order of `{column}` the result is below no effect ({}), and in the \
             reverse order above it ({}), so that the code turns one of them round",
            outcome.name,
            words(rising),
            words(falling)
        ),
        decides: outcome.sure && !case.planned.turns,
    })
}

fn turn_result<'a>(case: &Case, runs: &'a [ProbeRun], turn: u32) -> Option<(&'a Finding, f64)> {
    let (_, finding) = case
        .told(runs, ProbeKind::Aligned)
        .find(|(run, _)| run.trial.repetition == turn)?;
    let as_result = Case {
        focal: finding.clone(),
        ..case.clone()
    };
    Some((finding, scatter::result_distance(&as_result)?))
}
