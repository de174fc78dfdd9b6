//! Joint judgement of the moves under dropped rows.
//!
//! Rows that go at random carry an estimate to both sides of itself, by the order
//! of its error. A result that code gives on the very file alone lies to one side
//! of all that it gives on fewer rows, and an error that is too small is one that
//! the moves exceed.

use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeKind, ProbeRun};
use crate::statistics::distributions::{chi_squared_upper, normal_quantile};
use crate::statistics::precision::FindingPrecision as _;

use super::case::Case;
use super::distance::{Way, common_way, distance};
use super::words::words;

/// The most runs with rows dropped.
pub const MOST: u32 = 10;
/// Moves from which their mean and their spread are judged. All six lie to one side
/// by chance once in thirty-two times.
const LEAST: usize = 6;
/// How far off the mean of the moves has to lie, in its own standard errors: less
/// than one honest result in a million, and by the spread of the moves themselves
/// one in two hundred where the error is far too small besides.
const OFF: f64 = 5.0;
/// From here on more rows are dropped: one honest result in eighty.
const LEANS: f64 = 2.5;
/// The chance of so wide a spread where the error is right: of the moves under
/// dropped rows, of the rest where one row weighs as much as many, and of permuted
/// results. Unequal variances widen the first and leave the last as it is.
const WIDE: f64 = 0.01;
/// The same of the moves alone.
const WIDE_ALONE: f64 = 1e-4;
/// From here on more rows are dropped.
const LOOKS_WIDE: f64 = 0.1;
/// The error is too small by this much at least.
const WIDER: f64 = 1.5;
/// Moves at least of a result that an error of twice the size would undo.
const NEAR: usize = 4;

/// The finding of the moves together.
#[derive(Debug, Clone, PartialEq)]
pub enum JointMoves {
    /// The result is not what fewer rows give.
    Off(String),
    /// More of them are needed.
    Wants(String),
    Fit,
}

/// A change of the estimate under dropped rows, to its side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedMove {
    /// In units of what is expected; 1 is usual.
    pub size: f64,
    /// The unit in standard errors.
    pub unit: f64,
}

/// Judges moves together.
pub fn judge(case: &Case, moves: &[SignedMove]) -> JointMoves {
    let count = moves.len();
    if count == 0 || moves.iter().any(|one| !one.size.is_finite()) {
        return JointMoves::Fit;
    }
    let number = count as f64;
    let mean = moves.iter().map(|one| one.size).sum::<f64>() / number;
    let squares: Vec<f64> = moves.iter().map(|one| one.size * one.size).collect();
    let sum: f64 = squares.iter().sum();
    let more = count < MOST as usize;
    let one_sided = moves.iter().all(|one| one.size * mean > 0.0);
    let variance = moves.iter().map(|one| (one.size - mean).powi(2)).sum::<f64>() / (number - 1.0).max(1.0);
    let off = mean.abs() * number.sqrt() / variance.sqrt().max(1.0);
    if one_sided && mean.abs() * number.sqrt() > LEANS && matters(case, mean, moves) {
        if count >= LEAST && off > OFF {
            let unit = moves.iter().map(|one| one.unit).sum::<f64>() / number;
            return JointMoves::Off(format!(
                "with a tenth of the rows dropped in {count} seeded ways, the focal result is always on one side of {}, on average by {:.1} standard errors, {off:.0} times as far as chance allows",
                words(&case.focal),
                (mean * unit).abs()
            ));
        }
        if more {
            return JointMoves::Wants("the results with fewer rows all lie to one side".to_owned());
        }
    }
    if more && undone(case, 2.0) && (count < NEAR || chi_squared_upper(sum, number) < LOOKS_WIDE) {
        return JointMoves::Wants(
            "the result rests on its error, and on few runs with fewer rows".to_owned(),
        );
    }
    JointMoves::Fit
}

/// The finding of moves that are wider than the result's own error.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// The error is too small, and with a larger one the outcome is another one.
    Undone(String),
    Note(String),
}

/// How much too small the error is by the moves, and the chance of so wide a spread
/// where it is right.
fn wider(moves: &[SignedMove]) -> Option<(f64, f64)> {
    let squares: Vec<f64> = moves.iter().map(|one| one.size * one.size).collect();
    let sum: f64 = squares.iter().sum();
    let rest = sum - squares.iter().copied().fold(0.0, f64::max);
    let number = moves.len() as f64;
    let (ratio, chance) = ((sum / number).sqrt(), chi_squared_upper(sum, number));
    let wide = moves.len() >= LEAST
        && (WIDER..f64::INFINITY).contains(&ratio)
        && chance < WIDE
        && chi_squared_upper(rest, number - 1.0) < 5.0 * WIDE;
    wide.then_some((ratio, chance))
}

/// Whether the moves are so wide that permuted results have to tell why.
pub fn asks(case: &Case, moves: &[SignedMove]) -> bool {
    wider(moves).is_some_and(|(ratio, _)| undone(case, ratio))
}

/// Judges the spread of the moves, and of permuted results beside them. Where these
/// do not tell, the moves alone decide nothing: an error that unequal variances
/// make too small is an honest one.
pub fn spread(case: &Case, moves: &[SignedMove], runs: &[ProbeRun]) -> Option<Spread> {
    let (ratio, chance) = wider(moves)?;
    let detail = format!(
        "with a tenth of the rows dropped in {} seeded ways, the focal result ({}) moves {ratio:.1} times as far as its error allows",
        moves.len(),
        words(&case.focal)
    );
    if permuted_widely(case, runs) && undone(case, ratio) {
        return Some(Spread::Undone(format!(
            "{detail}, permuted ones scatter as widely, and with an error so much larger it is not significant"
        )));
    }
    (chance < WIDE_ALONE).then_some(Spread::Note(detail))
}

/// Whether permuted results scatter further about their null than chance has them.
fn permuted_widely(case: &Case, runs: &[ProbeRun]) -> bool {
    let permuted = case.told(runs, ProbeKind::Permuted).map(|(_, finding)| finding);
    let Some(way) = common_way(permuted.clone().chain([&case.focal]), case.null) else {
        return false;
    };
    let quantiles: Vec<f64> = permuted
        .filter_map(|finding| distance(finding, case.null, way))
        .collect();
    let sum: f64 = quantiles.iter().map(|z| z * z).sum();
    quantiles.len() >= LEAST && chi_squared_upper(sum, quantiles.len() as f64) < WIDE
}

/// The normal quantile of a result with its estimate moved and its error wider, by
/// standard errors and a factor.
fn quantile(case: &Case, by: f64, wider: f64) -> Option<f64> {
    let (error, _) = case.focal.precision()?;
    let moved = Finding {
        estimate: Some(case.focal.estimate? + by * error),
        standard_error: Some(error * wider),
        interval: None,
        ..case.focal.clone()
    };
    distance(&moved, case.null, Way::Error)
}

/// Whether the outcome would be another one where the fewer rows are right.
fn matters(case: &Case, mean: f64, moves: &[SignedMove]) -> bool {
    let by = mean * moves.iter().map(|one| one.unit).sum::<f64>() / moves.len() as f64;
    let Some(level) = case.level else {
        return by.abs() > 1.0 && !shrinks_with_rows(case, by, moves);
    };
    let critical = normal_quantile(1.0 - level / 2.0);
    let side = |z: f64| if z.abs() < critical { 0.0 } else { z.signum() };
    match (quantile(case, 0.0, 1.0), quantile(case, by, 1.0)) {
        (Some(one), Some(other)) => side(one) != side(other),
        _ => false,
    }
}

/// Whether an error wider by that factor makes a significant result one that is not.
fn undone(case: &Case, wider: f64) -> bool {
    let Some(level) = case.level else { return false };
    let critical = normal_quantile(1.0 - level / 2.0);
    match (quantile(case, 0.0, 1.0), quantile(case, 0.0, wider)) {
        (Some(one), Some(other)) => one.abs() >= critical && other.abs() < critical,
        _ => false,
    }
}

/// Whether the result is a sum or a count, which falls as the rows do.
fn shrinks_with_rows(case: &Case, by: f64, moves: &[SignedMove]) -> bool {
    let (Some(estimate), Some((error, _))) = (case.focal.estimate, case.focal.precision()) else {
        return false;
    };
    // The unit is √(f / (1 - f)) for the share f that is gone.
    let unit = moves.iter().map(|one| one.unit).sum::<f64>() / moves.len() as f64;
    let share = unit * unit / (1.0 + unit * unit);
    (by * error + share * estimate).abs() < 0.5 * share * estimate.abs()
}
