//! The probe of dropped rows: a result on nine tenths of the data.

use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeKind, ProbeRun};
use crate::statistics::distributions::chi_squared_upper;
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::usable_error;

use super::case::Case;
use super::distance::{common_way, distance};
use super::joint_moves::{self, JointMoves, SignedMove, Spread};
use super::words::words;

/// Times that rows are dropped before anything is told, and at most.
pub const LEAST: u32 = 2;

/// How small the chance has to be that a result from the data moves so little.
pub const STAYS: f64 = 2e-5;
/// A move of this share of the expected size is one.
const MOVED: f64 = 0.25;
/// Moves of so many times the expected size, twice, are too far.
const FAR: f64 = 8.0;
/// Fewer rows give no standard error that a jump could be measured by.
const FEW: u64 = 20;
/// The least chance that a result stays where it is with other rows.
pub const IN_STEPS: f64 = 0.02;
/// Rows that a result is taken to rest on where it does not say.
const ASSUMED: f64 = 20.0;

/// The finding of the runs with fewer rows on the result.
#[derive(Debug, Clone, PartialEq)]
pub enum Dropped {
    Stays(String),
    Moves,
    Jumps(String),
    NotTold(String),
}

/// Judges the runs with fewer rows that there are.
///
/// The change that is expected has the standard deviation SE √(f / (1 - f)) where
/// the share f of the rows is gone: the variance of an estimate is that of its
/// change and that of the smaller sample's, which is larger by 1 / (1 - f).
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Dropped {
    let moves = moves(case, runs);
    if moves.len() < LEAST as usize {
        return Dropped::NotTold(format!(
            "with a tenth of the rows dropped {} of at least {LEAST} runs gave the focal result",
            moves.len()
        ));
    }
    let far: Vec<&Move> = moves.iter().filter(|one| one.size > FAR).collect();
    let enough = case.focal.n.is_none_or(|n| n >= FEW);
    if let [first, second, ..] = far.as_slice()
        && enough
    {
        return Dropped::Jumps(format!(
            "with a tenth of the rows dropped, the focal result jumps from {} to {} and {}, {:.0} and {:.0} times as far as its standard error allows",
            words(&case.focal),
            first.to,
            second.to,
            first.size,
            second.size
        ));
    }
    if far.len() == 1 && moves.len() == LEAST as usize && enough {
        return Dropped::NotTold("one of two runs with fewer rows jumps".to_owned());
    }
    let still = moves.iter().all(|one| one.size < MOVED);
    if still && chance_of(&moves) < STAYS {
        return Dropped::Stays(format!(
            "with a tenth of the rows dropped in {} seeded ways, the focal result stays {} ({})",
            moves.len(),
            words(&case.focal),
            moves
                .iter()
                .take(3)
                .map(|one| one.to.as_str())
                .collect::<Vec<_>>()
                .join("; ")
        ));
    }
    match signed(&moves).map(|signed| joint_moves::judge(case, &signed)) {
        Some(JointMoves::Off(detail)) if enough => return Dropped::Jumps(detail),
        Some(JointMoves::Wants(why)) if enough => return Dropped::NotTold(why),
        _ => {}
    }
    if !still {
        return Dropped::Moves;
    }
    Dropped::NotTold("the result moves little when rows are dropped, and rests on few".to_owned())
}

/// What the width of the moves says of the result's error.
pub fn spread(case: &Case, runs: &[ProbeRun]) -> Option<Spread> {
    joint_moves::spread(case, &signed(&moves(case, runs))?, runs)
}

/// Whether the moves are so wide that permuted results have to tell why.
pub fn asks_permuted(case: &Case, runs: &[ProbeRun]) -> bool {
    signed(&moves(case, runs)).is_some_and(|moves| joint_moves::asks(case, &moves))
}

fn moves(case: &Case, runs: &[ProbeRun]) -> Vec<Move> {
    case.told(runs, ProbeKind::Dropped)
        .filter_map(|(run, finding)| moved(case, run, finding))
        .collect()
}

/// The moves of the estimate, where every run gave one.
fn signed(moves: &[Move]) -> Option<Vec<SignedMove>> {
    moves.iter().map(|one| one.signed).collect()
}

/// The chance that a result from the data moves so little each time. Results that
/// do not move at all have to rest on none of the dropped rows; else the chances
/// are combined as Fisher does.
fn chance_of(moves: &[Move]) -> f64 {
    if moves.iter().all(|one| one.size == 0.0) {
        return moves.iter().map(|one| one.chance).product();
    }
    let statistic: f64 = moves.iter().map(|one| -2.0 * one.chance.ln()).sum();
    chi_squared_upper(statistic, 2.0 * moves.len() as f64)
}

/// The chance that none of the rows that the result rests on is among those that
/// are gone. Where it rests on all of them, a result in few steps can still stay.
fn untouched(used: Option<u64>, all: Option<u64>, share: f64) -> f64 {
    let used = used.map_or(ASSUMED, |n| n as f64);
    let Some(all) = all.map(|all| all as f64) else {
        return (used * (1.0 - share).ln()).exp().max(IN_STEPS);
    };
    let gone = (share * all).round() as u64;
    let chance: f64 = (0..gone)
        .map(|index| ((all - used - index as f64) / (all - index as f64)).max(0.0))
        .product();
    chance.max(IN_STEPS)
}

/// One change of the result.
struct Move {
    /// In units of what is expected; 1 is usual.
    size: f64,
    /// Of its estimate, where every figure for it is there.
    signed: Option<SignedMove>,
    /// The chance of so small a change where the result comes from the data.
    chance: f64,
    to: String,
}

fn moved(case: &Case, run: &ProbeRun, finding: &Finding) -> Option<Move> {
    let share = run.dropped.filter(|share| *share > 0.0 && *share < 1.0)?;
    let unit = (share / (1.0 - share)).sqrt();
    let by_estimate = || {
        let (one, other) = (case.focal.estimate?, finding.estimate?);
        let (error, _) = case.focal.precision().filter(|(error, _)| usable_error(*error))?;
        Some((other - one) / (error * unit))
    };
    let signed = by_estimate();
    let by_distance = || {
        let way = common_way([&case.focal, finding].into_iter(), case.null)?;
        let one = distance(&case.focal, case.null, way)?;
        Some((distance(finding, case.null, way)? - one).abs() / unit)
    };
    // A sum falls with the rows, however far that is.
    let falls = || {
        let share_left = finding.estimate? / case.focal.estimate?;
        Some((share_left - (1.0 - share)).abs() < 0.5 * share)
    };
    let signed = signed.map(|way| match falls() {
        Some(true) => way.clamp(-FAR, FAR),
        _ => way,
    });
    // A median stays where it is, and its test moves all the same.
    let size = match (signed.map(f64::abs), by_distance()) {
        (Some(one), Some(other)) => Some(if one > FAR { one } else { one.max(other.min(FAR)) }),
        (one, other) => one.or(other),
    };
    // A median that is all there is may stay honestly, beside other numbers that move.
    let size = size.or(case.is_same(run).then_some(0.0)).unwrap_or(1.0);
    let untouched = untouched(case.focal.n, run.rows, share);
    // Twice the density of the standard normal at zero.
    let chance = (0.8 * size).clamp(1e-12, 1.0).max(untouched).min(1.0);
    Some(Move {
        size,
        signed: signed.map(|size| SignedMove { size, unit }),
        chance,
        to: words(finding),
    })
}
