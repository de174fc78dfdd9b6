//! The probe of a permuted focal predictor.

use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeKind, ProbeRun};

use super::case::{Case, FocalColumn, is_equal, runs_of_kind};
use super::distance::{common_way, distance};
use super::dropped;
use super::words::words;

/// Permutations that are made before anything is told, and at most.
pub const LEAST: u32 = 3;
pub const MOST: u32 = 20;

/// How much likelier one of the two explanations has to be. A result from the
/// data is called invented in less than one case of ten thousand.
pub const STAYS: f64 = 1e5;
pub const SCATTERS: f64 = 1e-3;
/// Standard errors from the null within which a permutation tells little.
const NEAR: f64 = 1.5;

/// The finding of the permuted runs on the result.
#[derive(Debug, Clone, PartialEq)]
pub enum Permuted {
    /// It does not follow the predictor.
    Stays(String),
    /// It scatters about its null.
    Scatters,
    /// The order of that column has no part in it.
    Void(String),
    NotTold(String),
}

/// The column that a permutation moves: the focal one and the other parts of an
/// interaction, by turns.
pub fn column_of(case: &Case, repetition: u32) -> Option<&str> {
    let columns = case.planned.parts.len() + 1;
    match (repetition.max(1) as usize - 1) % columns {
        0 => case.column.name(),
        part => case.planned.parts.get(part - 1).map(String::as_str),
    }
}

/// The runs that permuted one part and gave the focal result; 0 is the focal column.
pub fn told<'a>(
    case: &'a Case,
    runs: &'a [ProbeRun],
    part: usize,
) -> impl Iterator<Item = (&'a ProbeRun, &'a Finding)> + Clone {
    let columns = case.planned.parts.len() + 1;
    case.told(runs, ProbeKind::Permuted)
        .filter(move |(run, _)| (run.trial.repetition.max(1) as usize - 1) % columns == part)
}

/// Judges the runs that there are with one part permuted; 0 is the focal column.
pub fn judge(case: &Case, runs: &[ProbeRun], part: usize) -> Permuted {
    let column = match (&case.column, part) {
        (FocalColumn::Absent(why), _) => return Permuted::Void(why.clone()),
        (FocalColumn::Named(name) | FocalColumn::Likely(name), 0) => name,
        (_, part) => match case.planned.parts.get(part - 1) {
            Some(name) => name,
            None => return Permuted::Void("there is no such part".to_owned()),
        },
    };
    let told: Vec<&Finding> = told(case, runs, part).map(|(_, finding)| finding).collect();
    if told.len() < LEAST as usize {
        return Permuted::NotTold(format!(
            "with `{column}` permuted {} of at least {LEAST} runs gave the focal result",
            told.len()
        ));
    }
    if stays_exactly(case, runs, part, &told) {
        match by_rows(case, runs) {
            Rows::Move => {
                return Permuted::Void(format!(
                    "the result does not depend on the order of `{column}`, or the code does not read it"
                ));
            }
            Rows::Tell => {
                return Permuted::NotTold(format!(
                    "with `{column}` permuted nothing changes, and the dropped rows have to tell why"
                ));
            }
            // Code that refuses fewer rows leaves the permutation alone to tell.
            Rows::Fail => {}
        }
    }
    let ratio = match ratio(case, &told) {
        Some(ratio) => ratio,
        None => return Permuted::NotTold(format!("with `{column}` permuted no figure could be compared")),
    };
    if ratio >= STAYS {
        let sentence = format!(
            "with `{column}` permuted in {} seeded ways, the focal result stays near {} ({})",
            told.len(),
            words(&case.focal),
            told.iter()
                .take(3)
                .map(|finding| words(finding))
                .collect::<Vec<_>>()
                .join("; ")
        );
        return match case.column {
            FocalColumn::Named(_) => Permuted::Stays(sentence),
            _ => Permuted::Void(format!("{sentence}, and the focal column may be another one")),
        };
    }
    if ratio <= SCATTERS {
        return Permuted::Scatters;
    }
    Permuted::NotTold(format!(
        "the result is so close to no effect that results with `{column}` permuted look the same"
    ))
}

/// Whether no permutation moves the estimate at all.
///
/// So it is with code that prints a constant, but also with code that never reads
/// the column, and with an estimate that is a mean, such as a paired difference.
fn stays_exactly(case: &Case, runs: &[ProbeRun], part: usize, permuted: &[&Finding]) -> bool {
    told(case, runs, part).all(|(run, _)| case.is_same(run))
        || permuted.iter().all(|finding| same_estimate(case, finding))
}

/// The finding of the dropped rows where no permutation moves anything.
enum Rows {
    Move,
    Tell,
    Fail,
}

fn by_rows(case: &Case, runs: &[ProbeRun]) -> Rows {
    let mut told = case.told(runs, ProbeKind::Dropped);
    if told.any(|(_, finding)| !same_estimate(case, finding)) {
        return Rows::Move;
    }
    let made = runs_of_kind(runs, ProbeKind::Dropped).count();
    let failed = case.told(runs, ProbeKind::Dropped).count() == 0 && made >= dropped::LEAST as usize;
    if failed { Rows::Fail } else { Rows::Tell }
}

fn same_estimate(case: &Case, finding: &Finding) -> bool {
    match (finding.estimate, case.focal.estimate) {
        (Some(one), Some(other)) => is_equal(one, other),
        _ => false,
    }
}

/// Whether the result stays with the column permuted, be it the focal one or not.
pub fn stays(case: &Case, runs: &[ProbeRun]) -> bool {
    let told: Vec<&Finding> = told(case, runs, 0).map(|(_, finding)| finding).collect();
    told.len() >= LEAST as usize && ratio(case, &told).is_some_and(|ratio| ratio >= STAYS)
}

/// Whether a result lies so near its null that permuted ones lie there, too.
pub fn lies_near(case: &Case) -> bool {
    let way = common_way([&case.focal].into_iter(), case.null);
    let z = way.and_then(|way| distance(&case.focal, case.null, way));
    z.is_some_and(|z| z.abs() < NEAR)
}

/// How much likelier the permuted results are about the reported one than about
/// the null.
pub fn ratio(case: &Case, permuted: &[&Finding]) -> Option<f64> {
    let all = permuted.iter().copied().chain([&case.focal]);
    if let Some(way) = common_way(all, case.null) {
        let main = distance(&case.focal, case.null, way)?;
        let logs = permuted
            .iter()
            .filter_map(|finding| distance(finding, case.null, way))
            .map(|z| about_reported(z - main).ln() - about_null(z).ln());
        return Some(logs.sum::<f64>().exp());
    }
    by_estimates(case, permuted)
}

/// The density where the result is invented: near the reported one, with noise of
/// about a standard error or with next to none.
fn about_reported(off: f64) -> f64 {
    let normal = |sd: f64| (-0.5 * (off / sd).powi(2)).exp() / (sd * (2.0 * std::f64::consts::PI).sqrt());
    // The floor keeps one wild value from deciding alone.
    (0.5 * normal(1.0) + 0.5 * normal(0.1)).max(1e-12)
}

/// The density where there is no effect: Student's t with five degrees of freedom,
/// a fifth wider, since standard errors are often too small.
fn about_null(z: f64) -> f64 {
    const SCALE: f64 = 1.2;
    // The density at zero with five degrees of freedom.
    const PEAK: f64 = 0.379_606_7;
    PEAK / SCALE * (1.0 + (z / SCALE).powi(2) / 5.0).powi(-3)
}

/// Where estimates are all there is, their own scatter takes the standard error's place.
fn by_estimates(case: &Case, permuted: &[&Finding]) -> Option<f64> {
    let main = case.focal.estimate? - case.null;
    let shares: Option<Vec<f64>> = permuted
        .iter()
        .map(|finding| Some((finding.estimate? - case.null) / main))
        .collect();
    let shares = shares?;
    if main == 0.0 || shares.iter().any(|share| !share.is_finite()) {
        return None;
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let spread = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count).sqrt();
    // Both shares of the reported effect: 1 where it is invented, 0 where it is not there.
    let tight = spread < 0.2 && (mean - 1.0).abs() < 0.2;
    Some(if tight && (count >= 5.0 || spread < 0.02) {
        f64::INFINITY
    } else if tight {
        1.0
    } else {
        0.0
    })
}
