//! Numbers of the verdict besides the focal result: lines of further conditions, a contrast, the
//! other side of a difference, and means of groups.
//!
//! Permuting the focal column says nothing of them; the missing data and the dropped
//! rows do.

use crate::domain::finding::{Finding, Group};
use crate::domain::probe::{Giveaway, ProbeKind, ProbeRun, ProbeVerdict};

use super::case::{Case, FocalColumn, Part, is_equal, runs_of_kind};
use super::dropped::{self, Dropped, IN_STEPS, STAYS};
use super::missing_data::appears_without;
use super::planned::PlannedReruns;

/// Significant digits from which a mean without its deviation is no count of steps.
const FINE: usize = 4;

/// What speaks against a further result; `None` where nothing does.
pub fn judge(case: &Case, runs: &[ProbeRun]) -> Option<ProbeVerdict> {
    parts(case, runs)
        .find_map(|(part, case, runs)| judge_part(part, &case, &runs))
        .or_else(|| {
            let (name, mean, count) = means(case, runs).find_map(|mean| match mean {
                Mean::Stays { name, mean, count } => Some((name, mean, count)),
                _ => None,
            })?;
            Some(ProbeVerdict::NotFromData {
                by: Giveaway::Dropped,
                detail: format!(
                    "with a tenth of the rows dropped in {count} seeded ways the mean of `{name}` stays {mean}"
                ),
            })
        })
}

/// Whether more rows have to be dropped to tell.
pub fn waits(case: &Case, runs: &[ProbeRun]) -> bool {
    let open = |case: &Case, runs: &[ProbeRun]| {
        case.told(runs, ProbeKind::Dropped).next().is_some()
            && matches!(dropped::judge(case, runs), Dropped::NotTold(_))
    };
    parts(case, runs).any(|(_, case, runs)| open(&case, &runs))
        || means(case, runs).any(|mean| matches!(mean, Mean::Waits))
}

fn judge_part(part: &Part, case: &Case, runs: &[ProbeRun]) -> Option<ProbeVerdict> {
    let not_from_data = |by, detail: String| {
        let detail = detail.replace(
            "the focal result",
            &format!("the result of `{}`", part.finding.name),
        );
        Some(ProbeVerdict::NotFromData { by, detail })
    };
    if appears_without(runs).is_some() {
        let detail = "even without the data the code gives the focal result".to_owned();
        return not_from_data(Giveaway::Without, detail);
    }
    let dropped = dropped::judge(case, runs);
    if let Some(literal) = part.literal.as_ref().filter(|_| dropped != Dropped::Moves) {
        return not_from_data(
            Giveaway::Literal,
            format!("the code contains the focal result itself: {literal}"),
        );
    }
    match dropped {
        Dropped::Stays(detail) => not_from_data(Giveaway::Dropped, detail),
        Dropped::Jumps(detail) => Some(ProbeVerdict::Unstable {
            detail: detail.replace(
                "the focal result",
                &format!("the result of `{}`", part.finding.name),
            ),
        }),
        Dropped::Moves | Dropped::NotTold(_) => None,
    }
}

/// Each further result as a case of its own, with the sub-runs as they are for it.
fn parts<'a>(case: &'a Case, runs: &'a [ProbeRun]) -> impl Iterator<Item = (&'a Part, Case, Vec<ProbeRun>)> {
    case.further.iter().enumerate().map(move |(at, part)| {
        let of_part = Case {
            focal: part.finding.clone(),
            null: part.finding.scale.unwrap_or_default().null(),
            numbers: case.numbers,
            column: FocalColumn::Absent("a further result is not permuted".to_owned()),
            literal: None,
            further: Vec::new(),
            groups: Vec::new(),
            level: case.level,
            planned: PlannedReruns::default(),
        };
        let runs = runs
            .iter()
            .map(|run| ProbeRun {
                focal: run.further.get(at).cloned().flatten(),
                ..run.clone()
            })
            .collect();
        (part, of_part, runs)
    })
}

/// The finding of the dropped rows on the mean of a group.
enum Mean {
    Moves,
    Stays { name: String, mean: f64, count: usize },
    Waits,
    NotTold,
}

/// The means of groups that decide, wherever they stand.
fn means<'a>(case: &'a Case, runs: &'a [ProbeRun]) -> impl Iterator<Item = Mean> + 'a {
    let lines = (0..=case.further.len()).filter_map(move |at| match at {
        0 => Some((None, &case.focal)),
        _ => case.further.get(at - 1).map(|part| (Some(at - 1), &part.finding)),
    });
    lines.flat_map(move |(at, finding)| {
        let named = |group: &&Group| case.groups.iter().any(|name| same(name, &group.name));
        finding.groups.iter().filter(named).map(move |group| {
            let told: Vec<(f64, Option<f64>)> = runs_of_kind(runs, ProbeKind::Dropped)
                .filter(|run| run.ran())
                .filter_map(|run| {
                    let finding = match at {
                        None => run.focal.as_ref(),
                        Some(at) => run.further.get(at)?.as_ref(),
                    };
                    Some((run.dropped?, mean_of(finding?, &group.name)))
                })
                .collect();
            judge_mean(group, &told)
        })
    })
}

fn judge_mean(group: &Group, told: &[(f64, Option<f64>)]) -> Mean {
    let Some(mean) = group.mean else {
        return Mean::NotTold;
    };
    let count = told.len();
    let same = |other: &Option<f64>| other.is_some_and(|other| is_equal(other, mean));
    if !told.iter().all(|(_, other)| same(other)) {
        return Mean::Moves;
    }
    let Some(step) = step(group, mean).filter(|_| count > 0) else {
        return Mean::NotTold;
    };
    let chance: f64 = told
        .iter()
        .map(|(share, _)| {
            let untouched = group.n.map_or(0.0, |n| (n as f64 * (1.0 - share).ln()).exp());
            // The standard deviation of the change, and twice the density at zero over half a step.
            let moves = share / (1.0 - share);
            let in_step = group
                .sd
                .zip(group.n)
                .map_or(0.0, |(sd, n)| 0.4 * step / (sd * (moves / n as f64).sqrt()));
            untouched.max(in_step).clamp(IN_STEPS, 1.0)
        })
        .product();
    if chance < STAYS {
        Mean::Stays {
            name: group.name.clone(),
            mean,
            count,
        }
    } else if chance < 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX)) {
        Mean::Waits
    } else {
        Mean::NotTold
    }
}

/// The steps in which a mean is given, where they can be compared with what moves it.
/// A group in which all are alike has the mean that it has.
fn step(group: &Group, mean: f64) -> Option<f64> {
    let text = format!("{mean}");
    let digits = text.chars().filter(char::is_ascii_digit).count();
    match (group.sd, group.n) {
        (Some(sd), _) if sd <= 0.0 => None,
        (Some(_), Some(n)) if n > 1 => {
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            Some(0.1_f64.powi(i32::try_from(decimals).ok()?))
        }
        _ => (digits >= FINE).then_some(0.0),
    }
}

fn mean_of(finding: &Finding, name: &str) -> Option<f64> {
    finding.groups.iter().find(|group| same(name, &group.name))?.mean
}

fn same(one: &str, other: &str) -> bool {
    one.trim().eq_ignore_ascii_case(other.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::probe::{ProbeEnd, Trial};

    fn line(name: &str, estimate: f64) -> Finding {
        Finding {
            name: name.into(),
            estimate: Some(estimate),
            standard_error: Some(1.0),
            n: Some(200),
            ..Finding::default()
        }
    }

    fn group(mean: f64, sd: Option<f64>) -> Group {
        Group {
            name: "a".into(),
            mean: Some(mean),
            sd,
            n: Some(40),
        }
    }

    /// A focal result and another one, each with a mean, in four runs with fewer rows.
    fn probed(further: [f64; 5], means: [f64; 5], sd: Option<f64>) -> (Option<ProbeVerdict>, bool) {
        let focal = |at: usize| Finding {
            groups: vec![group(means[at], sd)],
            ..line("x", 3.0 + 0.3 * at as f64 * (-1.0_f64).powi(at as i32))
        };
        let case = Case {
            planned: PlannedReruns::default(),
            focal: focal(0),
            null: 0.0,
            numbers: Digest::compute("0"),
            column: FocalColumn::Named("x".into()),
            literal: None,
            further: vec![Part {
                finding: line("y", further[0]),
                literal: None,
            }],
            groups: vec!["A".into(), "b".into()],
            level: None,
        };
        let runs: Vec<ProbeRun> = (1..5)
            .map(|repetition| ProbeRun {
                trial: Trial {
                    kind: ProbeKind::Dropped,
                    repetition: repetition as u32,
                },
                seed: 1,
                ended: ProbeEnd::Ran,
                focal: Some(focal(repetition)),
                further: vec![Some(line("y", further[repetition]))],
                numbers: Some(Digest::compute(repetition.to_string())),
                dropped: Some(0.1),
                rows: Some(200),
                data: None,
                unwritten: Vec::new(),
                wall_ms: 1,
            })
            .collect();
        (judge(&case, &runs), waits(&case, &runs[..2]))
    }

    const MOVING: [f64; 5] = [5.0, 5.2, 4.9, 4.7, 5.3];
    const MEANS: [f64; 5] = [3.4333, 3.41, 3.45, 3.5, 3.4];

    fn given_away(verdict: Option<ProbeVerdict>, words: &str) -> bool {
        matches!(verdict, Some(ProbeVerdict::NotFromData { by: Giveaway::Dropped, detail }) if detail.contains(words))
    }

    #[test]
    fn a_further_result_that_stays_while_the_rows_go_is_not_from_the_data() {
        assert_eq!(probed(MOVING, MEANS, None).0, None);
        let (verdict, waits) = probed([5.0; 5], MEANS, None);
        assert!(given_away(verdict, "the result of `y` stays"));
        assert!(waits, "two runs are not enough");
    }

    #[test]
    fn a_mean_that_stays_is_told_from_a_median() {
        let (verdict, waits) = probed(MOVING, [3.4333; 5], None);
        assert!(given_away(verdict, "the mean of `a` stays 3.4333"));
        assert!(waits);
        // A median of whole numbers, and a group in which all are alike.
        assert_eq!(probed(MOVING, [3.0; 5], None), (None, false));
        assert_eq!(probed(MOVING, [3.0; 5], Some(1.2)), (None, false));
        assert_eq!(probed(MOVING, [3.4333; 5], Some(0.0)), (None, false));
        // Two decimals are steps that a mean of this deviation seldom stays in.
        assert!(given_away(probed(MOVING, [3.43; 5], Some(1.2)).0, "the mean"));
    }
}
