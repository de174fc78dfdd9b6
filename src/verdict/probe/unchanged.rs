//! The probe of unchanged data: reruns with other threads and another hash seed.

use crate::domain::execution::Ending;
use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun};
use crate::statistics::distributions::normal_quantile;
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::usable_error;

use super::case::{Case, runs_of_kind};
use super::distance::{common_way, distance};
use super::words::words;

/// Times that a result which differs is run again at all.
pub const MOST: u32 = 3;

/// The repetition that has the threads and the hash seed of the run itself.
pub const AS_IT_WAS: u32 = 2;

/// A difference that other threads may make, relative.
const STABLE: f64 = 1e-6;
/// Standard errors of the result itself. Chains and draws that are worth their
/// name differ by a tenth of one, and half of one twice in three in no run of a
/// thousand.
const FAR: f64 = 0.5;
/// The same of results that have no error, as normal quantiles: a p-value of two
/// hundred draws about .05 is off by a fifth.
const FAR_QUANTILE: f64 = 1.0;
/// Beyond this quantile resampled p-values say nothing of how far.
const CLEAR: f64 = 3.0;

/// The finding of the unchanged runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unchanged {
    /// The largest relative difference; the median of several runs.
    pub within: Option<f64>,
    /// The result is another one each time, or in every place but its own.
    pub unstable: Option<String>,
    pub note: Option<String>,
}

/// Judges the runs that had nothing but other threads and another hash seed.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Unchanged {
    if runs_of_kind(runs, ProbeKind::Unchanged).next().is_none() {
        return Unchanged::default();
    }
    let told: Vec<&Finding> = case
        .told(runs, ProbeKind::Unchanged)
        .map(|(_, finding)| finding)
        .collect();
    let Some(first) = told.first() else {
        return Unchanged {
            note: Some("Run again unchanged, the code did not give the focal result.".to_owned()),
            ..Unchanged::default()
        };
    };
    let within = median(told.iter().map(|finding| relative(case, finding)).collect());
    let far = median(told.iter().map(|finding| far(case, finding)).collect());
    let differs = within.is_some_and(|within| within > STABLE);
    let unstable = far.is_some_and(|far| far > 1.0).then(|| {
        format!(
            "run again with nothing changed but threads and hash seed, the focal result is not {} but {}",
            words(&case.focal),
            words(first)
        )
    });
    // Of honest draws without a seed 7 in 100 that lie near the level do so, too.
    let otherwise = match decided_otherwise(case, &told) {
        true => ", on the other side of the level",
        false => "",
    };
    let note = (differs && unstable.is_none()).then(|| {
        format!(
            "Not stable: run again with other threads and another hash seed, the focal result differs by {:.2} %{otherwise} ({}).",
            100.0 * within.unwrap_or_default(),
            words(first)
        )
    });
    Unchanged {
        within,
        unstable,
        note,
    }
}

/// Whether a run differs, so that the next has to tell whether that was chance.
pub fn differs(case: &Case, runs: &[ProbeRun]) -> bool {
    case.told(runs, ProbeKind::Unchanged)
        .any(|(_, finding)| relative(case, finding) > STABLE)
}

/// The endings of the runs with nothing changed.
pub struct UnchangedEndings {
    /// Those that did not end in their time.
    pub endless: usize,
    /// Whether any other one ended well.
    pub any_ran: bool,
}

/// Counts how the runs with nothing changed ended.
pub fn endings(runs: &[ProbeRun]) -> UnchangedEndings {
    let late = ProbeEnd::Failed {
        ending: Ending::TimedOut,
    };
    UnchangedEndings {
        endless: runs_of_kind(runs, ProbeKind::Unchanged)
            .filter(|run| run.ended == late)
            .count(),
        any_ran: runs_of_kind(runs, ProbeKind::Unchanged).any(ProbeRun::ran),
    }
}

/// Whether most results are significant where the run's own is not, or the other way
/// round.
fn decided_otherwise(case: &Case, told: &[&Finding]) -> bool {
    let Some(level) = case.level else { return false };
    let significant = |finding: &Finding| match finding.p_value {
        Some(p) => p.below(level),
        None => {
            let way = common_way([finding].into_iter(), case.null)?;
            Some(distance(finding, case.null, way)?.abs() > normal_quantile(1.0 - level / 2.0))
        }
    };
    let own = significant(&case.focal);
    let others = told.iter().filter(|finding| {
        own.zip(significant(finding))
            .is_some_and(|(one, other)| one != other)
    });
    2 * others.count() > told.len()
}

/// The largest relative difference between figures of a result.
fn relative(case: &Case, finding: &Finding) -> f64 {
    let relative = |one: Option<f64>, other: Option<f64>| match (one, other) {
        (Some(one), Some(other)) if one != other => (one - other).abs() / one.abs().max(other.abs()),
        _ => 0.0,
    };
    let p = |finding: &Finding| finding.p_value.map(|p| p.value);
    let statistic = |finding: &Finding| finding.statistic.as_ref().map(|statistic| statistic.value);
    [
        relative(case.focal.estimate, finding.estimate),
        relative(case.focal.standard_error, finding.standard_error),
        relative(statistic(&case.focal), statistic(finding)),
        relative(p(&case.focal), p(finding)),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// How far a result lies off, in what is too far.
fn far(case: &Case, finding: &Finding) -> f64 {
    let by_estimate = || {
        let (one, other) = (case.focal.estimate?, finding.estimate?);
        let (error, _) = case.focal.precision().filter(|(error, _)| usable_error(*error))?;
        Some((one - other).abs() / error / FAR)
    };
    let by_quantile = || {
        let way = common_way([&case.focal, finding].into_iter(), case.null)?;
        let of = |finding: &Finding| Some(distance(finding, case.null, way)?.clamp(-CLEAR, CLEAR));
        Some((of(&case.focal)? - of(finding)?).abs() / FAR_QUANTILE)
    };
    [by_estimate(), by_quantile()]
        .into_iter()
        .flatten()
        .fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    // Of an even number the smaller one: what is doubtful does not decide.
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::probe::{ProbeEnd, Trial};
    use crate::verdict::probe::case::FocalColumn;
    use crate::verdict::probe::planned::PlannedReruns;

    fn finding(estimate: f64) -> Finding {
        Finding {
            name: "x".into(),
            estimate: Some(estimate),
            standard_error: Some(1.0),
            ..Finding::default()
        }
    }

    fn judged(estimates: &[f64]) -> Unchanged {
        judged_from(2.5, estimates)
    }

    fn judged_from(focal: f64, estimates: &[f64]) -> Unchanged {
        let case = Case {
            planned: PlannedReruns::default(),
            focal: finding(focal),
            null: 0.0,
            numbers: Digest::compute(""),
            column: FocalColumn::Absent("none".into()),
            literal: None,
            further: Vec::new(),
            groups: Vec::new(),
            level: Some(0.05),
        };
        let runs: Vec<ProbeRun> = (1..)
            .zip(estimates)
            .map(|(repetition, estimate)| ProbeRun {
                trial: Trial {
                    kind: ProbeKind::Unchanged,
                    repetition,
                },
                seed: 1,
                ended: ProbeEnd::Ran,
                focal: Some(finding(*estimate)),
                further: Vec::new(),
                numbers: None,
                dropped: None,
                rows: None,
                data: None,
                unwritten: Vec::new(),
                wall_ms: 1,
            })
            .collect();
        judge(&case, &runs)
    }

    #[test]
    fn half_an_error_decides_and_less_is_a_note() {
        assert_eq!(judged(&[]), Unchanged::default());
        let same = judged(&[2.5]);
        assert_eq!((same.unstable, same.note), (None, None));
        let near = judged(&[2.6]);
        assert!(near.unstable.is_none() && near.note.unwrap().starts_with("Not stable"));
        let far = judged(&[0.4]);
        assert!(far.unstable.unwrap().contains("is not estimate 2.5"), "one run");
        // One wild run of three is chance.
        assert_eq!(judged(&[0.4, 2.5, 2.6]).unstable, None);
        assert!(judged(&[0.4, 2.5, 0.5]).unstable.is_some());
    }

    #[test]
    fn another_outcome_of_most_runs_is_said_however_near() {
        let judged = |estimates: &[f64]| {
            let judged = judged_from(2.0, estimates);
            assert_eq!(judged.unstable, None);
            judged
                .note
                .is_some_and(|note| note.contains("on the other side of the level"))
        };
        assert!(judged(&[1.9]), "1.96 lies between");
        assert!(!judged(&[1.97]));
        assert!(!judged(&[1.9, 2.0, 2.1]), "one of three");
        assert!(judged(&[1.9, 2.0, 1.8]));
    }
}
