//! Honest and dishonest code on random data, probed as a run is.

use super::case::{Case, FocalColumn, digest_of_numbers};
use super::planned::PlannedReruns;
use super::{judgement, schedule};
use crate::domain::execution::Ending;
use crate::domain::finding::{Finding, PValue, Relation};
use crate::domain::probe::{Giveaway, ProbeEnd, ProbeKind, ProbeRun, ProbeVerdict};
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::statistics::distributions::{normal_quantile, t_two_sided};
use crate::statistics::generator::Generator;

/// A predictor, an outcome and a covariate, row by row.
pub(super) type Rows = Vec<[f64; 3]>;

pub(super) fn normal(generator: &mut Generator) -> f64 {
    normal_quantile(generator.uniform().clamp(1e-12, 1.0 - 1e-12))
}

pub(super) fn data(seed: u64, n: usize, slope: f64, tails: bool) -> Rows {
    let mut generator = Generator::new(seed);
    (0..n)
        .map(|_| {
            let x = normal(&mut generator);
            let mut noise = normal(&mut generator);
            if tails {
                // Wilder errors, and wilder ones where x is large.
                noise = noise.powi(3) / 3.0 * (0.5 + x.abs());
            }
            let z = normal(&mut generator);
            [x, slope * x + 0.5 * z + noise, z]
        })
        .collect()
}

/// The slope of the outcome on the predictor by least squares.
pub(super) fn ols(rows: &Rows) -> Finding {
    let n = rows.len() as f64;
    let (mx, my) = rows
        .iter()
        .fold((0.0, 0.0), |(x, y), row| (x + row[0] / n, y + row[1] / n));
    let sxx: f64 = rows.iter().map(|row| (row[0] - mx).powi(2)).sum();
    let sxy: f64 = rows.iter().map(|row| (row[0] - mx) * (row[1] - my)).sum();
    let syy: f64 = rows.iter().map(|row| (row[1] - my).powi(2)).sum();
    let slope = sxy / sxx;
    result(slope, ((syy - slope * sxy) / (n - 2.0) / sxx).sqrt(), n)
}

pub(super) fn result(estimate: f64, error: f64, n: f64) -> Finding {
    let t = estimate / error;
    Finding {
        name: "x".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: t_two_sided(t, n - 2.0),
        }),
        statistic: Some(Statistic {
            kind: StatisticKind::T,
            value: t,
            df: DegreesOfFreedom(vec![n - 2.0]),
        }),
        n: Some(n as u64),
        df: Some(n - 2.0),
        ..Finding::default()
    }
}

/// Code: what it makes of the data, or of their absence; `None` is a failure.
type OwnedCode = Box<dyn Fn(Option<&Rows>, u64) -> Option<Finding>>;
pub(super) type Code<'a> = &'a dyn Fn(Option<&Rows>, u64) -> Option<Finding>;

fn numbers(finding: &Finding) -> crate::domain::digest::Digest {
    digest_of_numbers(
        "",
        &format!(
            "{:?} {:?} {:?}",
            finding.estimate,
            finding.standard_error,
            finding.statistic.as_ref().map(|one| one.value)
        ),
    )
}

/// Probes code as the engine does, and says what came of it and after how many runs.
pub(super) fn probe(rows: &Rows, code: Code) -> (ProbeVerdict, usize) {
    let focal = code(Some(rows), 0).unwrap();
    let case = Case {
        null: 0.0,
        numbers: numbers(&focal),
        focal,
        column: FocalColumn::Named("x".into()),
        literal: None,
        planned: PlannedReruns::default(),
        further: Vec::new(),
        groups: Vec::new(),
        level: Some(0.05),
    };
    let mut runs: Vec<ProbeRun> = Vec::new();
    loop {
        let wanted = schedule::next(&case, &runs);
        if wanted.is_empty() {
            return (judgement::judge(&case, &runs).verdict, runs.len());
        }
        for trial in wanted {
            let seed = trial.seed(rows.len() as u64);
            let mut generator = Generator::new(seed);
            let mut changed = rows.clone();
            let mut dropped = None;
            match trial.kind {
                ProbeKind::Permuted => {
                    let mut column: Vec<f64> = rows.iter().map(|row| row[0]).collect();
                    generator.shuffle(&mut column);
                    for (row, x) in changed.iter_mut().zip(column) {
                        row[0] = x;
                    }
                }
                ProbeKind::Dropped => {
                    let gone = (rows.len() / 10).max(1);
                    generator.shuffle(&mut changed);
                    changed.truncate(rows.len() - gone);
                    dropped = Some(gone as f64 / rows.len() as f64);
                }
                ProbeKind::Without | ProbeKind::Unchanged | ProbeKind::Outcome | ProbeKind::Aligned => {}
            }
            let given = (trial.kind != ProbeKind::Without).then_some(&changed);
            let focal = code(given, seed);
            runs.push(ProbeRun {
                trial,
                seed,
                ended: match focal {
                    Some(_) => ProbeEnd::Ran,
                    None => ProbeEnd::Failed {
                        ending: Ending::Exited(1),
                    },
                },
                numbers: focal.as_ref().map(numbers),
                focal,
                further: Vec::new(),
                dropped,
                rows: dropped.map(|_| rows.len() as u64),
                data: None,
                unwritten: Vec::new(),
                wall_ms: 1,
            });
        }
        assert!(runs.len() < 60, "it does not end");
    }
}

const SIZES: [usize; 4] = [24, 60, 300, 1500];
const SLOPES: [f64; 5] = [0.0, 0.1, 0.3, 1.0, -3.0];

/// Every size and slope, several times.
fn every(times: u64, check: &mut dyn FnMut(u64, usize, f64)) {
    for (at, n) in SIZES.into_iter().enumerate() {
        for (slope_at, slope) in SLOPES.into_iter().enumerate() {
            for time in 0..times {
                check(time * 1000 + (at * 10 + slope_at) as u64, n, slope);
            }
        }
    }
}

#[test]
fn honest_least_squares_is_never_called_invented() {
    let (mut alarms, mut open, mut all, mut most) = (Vec::new(), 0, 0, 0);
    every(100, &mut |seed, n, slope| {
        for tails in [false, true] {
            let rows = data(seed, n, slope, tails);
            let (verdict, runs) = probe(&rows, &|rows, _| rows.map(ols));
            all += 1;
            most = most.max(runs);
            match verdict {
                ProbeVerdict::FromData => {}
                ProbeVerdict::Undecided { .. } => open += 1,
                other => alarms.push((seed, n, slope, tails, other)),
            }
        }
    });
    println!(
        "{all} honest analyses: {} alarms, {open} open, at most {most} runs",
        alarms.len()
    );
    assert!(alarms.is_empty(), "{alarms:#?}");
    assert!(open * 100 <= all, "{open} of {all} are left open");
}

#[test]
fn simulation_noise_raises_no_alarm() {
    let mut alarms = Vec::new();
    every(50, &mut |seed, n, slope| {
        let rows = data(seed, n, slope, false);
        // A bootstrap's standard error, with the noise of two hundred draws.
        let noisy = |rows: Option<&Rows>, seed: u64| {
            rows.map(|rows| {
                let found = ols(rows);
                let mut generator = Generator::new(seed ^ 0xabcd);
                let factor = 1.0 + 0.05 * normal(&mut generator);
                let error = found.standard_error.unwrap() * factor;
                result(
                    found.estimate.unwrap() + 0.05 * error * normal(&mut generator),
                    error,
                    rows.len() as f64,
                )
            })
        };
        let (verdict, _) = probe(&rows, &noisy);
        if matches!(
            verdict,
            ProbeVerdict::NotFromData { .. } | ProbeVerdict::Unstable { .. }
        ) {
            alarms.push((seed, n, slope, verdict));
        }
    });
    assert!(alarms.is_empty(), "{alarms:#?}");
}

/// Counts how often code is found out, over reported effects of every size.
fn caught(times: u64, dishonest: &dyn Fn(Finding) -> OwnedCode) -> (usize, usize) {
    let (mut found, mut all) = (0, 0);
    every(times, &mut |seed, n, slope| {
        let rows = data(seed, n, slope, false);
        let told = ols(&data(seed + 77, n, slope.max(0.3), false));
        let (verdict, _) = probe(&rows, &dishonest(told));
        all += 1;
        found += usize::from(matches!(verdict, ProbeVerdict::NotFromData { .. }));
    });
    (found, all)
}

#[test]
fn constants_are_caught_whatever_they_are_printed_on() {
    let (found, all) = caught(20, &|told| Box::new(move |_, _| Some(told.clone())));
    assert_eq!(found, all, "printed without looking at data");
    let (found, all) = caught(20, &|told| Box::new(move |rows, _| rows.map(|_| told.clone())));
    assert_eq!(found, all, "printed where the data are there");
    let (found, all) = caught(20, &|told| {
        Box::new(move |rows, _| {
            let n = told.n.unwrap() as usize;
            rows.filter(|rows| rows.len() == n).map(|_| told.clone())
        })
    });
    assert_eq!(found, all, "printed where the row count is right");
}

#[test]
fn noise_on_constants_is_caught_where_there_is_an_effect() {
    for (share, least) in [(0.001, 0.99), (0.1, 0.95), (0.5, 0.9)] {
        let (mut found, mut all) = (0, 0);
        every(20, &mut |seed, n, _| {
            let rows = data(seed, n, 0.0, false);
            let error = 1.0 / (n as f64).sqrt();
            let told = 4.0 * error;
            // The noise follows from the data, so that running again shows none.
            let noisy = move |rows: Option<&Rows>, _: u64| {
                rows.map(|rows| {
                    let sum: f64 = rows.iter().map(|row| row[0] * row[1]).sum();
                    let mut generator = Generator::new(sum.to_bits());
                    result(
                        told + share * error * normal(&mut generator),
                        error,
                        rows.len() as f64,
                    )
                })
            };
            let (verdict, _) = probe(&rows, &noisy);
            all += 1;
            found += usize::from(matches!(verdict, ProbeVerdict::NotFromData { .. }));
        });
        println!("noise of {share} SE: {found} of {all} caught");
        assert!(
            found as f64 >= least * all as f64,
            "noise of {share} SE: {found} of {all}"
        );
    }
}

#[test]
fn a_made_up_fallback_is_caught_without_the_data() {
    let rows = data(3, 100, 0.5, false);
    let fallback = |rows: Option<&Rows>, _: u64| match rows {
        Some(rows) => Some(ols(rows)),
        None => Some(ols(&data(99, 100, 1.0, false))),
    };
    let (verdict, runs) = probe(&rows, &fallback);
    assert!(
        matches!(
            verdict,
            ProbeVerdict::NotFromData {
                by: Giveaway::Without,
                ..
            }
        ),
        "{verdict:?}"
    );
    assert!(runs <= 8, "{runs}");
}

#[test]
fn code_that_refuses_changed_data_is_not_called_invented() {
    let rows = data(4, 200, 0.5, false);
    let asserts = |given: Option<&Rows>, _: u64| given.filter(|given| given.len() == 200).map(ols);
    assert_eq!(probe(&rows, &asserts).0, ProbeVerdict::FromData);
    let original = rows.clone();
    let refuses = move |given: Option<&Rows>, _: u64| given.filter(|given| **given == original).map(ols);
    let (verdict, _) = probe(&rows, &refuses);
    match verdict {
        ProbeVerdict::Undecided { why } => assert!(why.contains("fails on changed data"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_column_without_a_part_makes_permuting_void() {
    let mut alarms = 0;
    every(20, &mut |seed, n, slope| {
        let rows = data(seed, n, slope, false);
        // The outcome on the covariate, and the paired difference of two columns.
        let other = |rows: &Rows| rows.iter().map(|row| [row[2], row[1], row[0]]).collect::<Rows>();
        let (verdict, _) = probe(&rows, &|given, _| given.map(|given| ols(&other(given))));
        alarms += usize::from(verdict != ProbeVerdict::FromData);
        let paired = |rows: &Rows| {
            let n = rows.len() as f64;
            let mean = rows.iter().map(|row| row[1] - row[0] + 2.0).sum::<f64>() / n;
            let variance = rows
                .iter()
                .map(|row| (row[1] - row[0] + 2.0 - mean).powi(2))
                .sum::<f64>()
                / (n - 1.0);
            result(mean, (variance / n).sqrt(), n)
        };
        let (verdict, _) = probe(&rows, &|given, _| given.map(paired));
        alarms += usize::from(verdict != ProbeVerdict::FromData);
    });
    assert_eq!(alarms, 0);
}

#[test]
fn code_that_behaves_otherwise_on_other_data_is_unstable() {
    let rows = data(6, 400, 0.2, false);
    let switches = |given: Option<&Rows>, _: u64| {
        given.map(|given| match given.len() {
            400 => ols(given),
            _ => result(9.0 + given.len() as f64, 0.05, 400.0),
        })
    };
    let (verdict, _) = probe(&rows, &switches);
    assert!(matches!(verdict, ProbeVerdict::Unstable { .. }), "{verdict:?}");
}
