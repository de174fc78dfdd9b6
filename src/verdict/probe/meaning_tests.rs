//! Tests of permuted results, on honest analyses of many shapes and on dishonest ones.

use super::case::{Case, FocalColumn};
use super::meaning::{scatter, wants_permutations};
use super::permuted::MOST;
use super::planned::PlannedReruns;
use super::scatter::FIRST;
use super::{aligned, groups, meaning};
use crate::domain::digest::Digest;
use crate::domain::execution::Ending;
use crate::domain::finding::{Finding, Group, PValue, Relation};
use crate::domain::misreading::Facet;
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun, Trial};
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::statistics::distributions::{f_upper, normal_quantile, t_two_sided};
use crate::statistics::generator::Generator;
use crate::verdict::probe::planned::{FocalLevel, OutcomeColumn};

/// Predictor and outcome, row by row.
type Rows = Vec<(f64, f64)>;
type Analysis<'a> = &'a dyn Fn(&Rows) -> Finding;

fn normal(generator: &mut Generator) -> f64 {
    normal_quantile(generator.uniform().clamp(1e-12, 1.0 - 1e-12))
}

#[derive(Debug, Clone, Copy)]
enum Errors {
    Normal,
    Heavy,
    Uneven,
}

fn data(generator: &mut Generator, n: usize, slope: f64, errors: Errors, groups: Option<usize>) -> Rows {
    (0..n)
        .map(|_| {
            let x = match groups {
                Some(groups) => generator.below(groups) as f64,
                None => normal(generator),
            };
            let noise = normal(generator);
            let noise = match errors {
                Errors::Normal => noise,
                Errors::Heavy => noise.powi(3),
                Errors::Uneven => noise * (0.3 + x.abs()),
            };
            (x, slope * x + noise)
        })
        .collect()
}

fn figures(estimate: f64, error: f64, df: f64) -> Finding {
    let t = estimate / error;
    Finding {
        name: "x".into(),
        estimate: Some(estimate),
        standard_error: Some(error),
        statistic: Some(Statistic {
            kind: StatisticKind::T,
            value: t,
            df: DegreesOfFreedom(vec![df]),
        }),
        p_value: Some(equal(t_two_sided(t, df))),
        df: Some(df),
        n: Some(df as u64 + 2),
        ..Finding::default()
    }
}

fn equal(value: f64) -> PValue {
    PValue {
        relation: Relation::Equal,
        value,
    }
}

fn moments(rows: &Rows) -> (f64, f64, f64, f64) {
    let n = rows.len() as f64;
    let mx = rows.iter().map(|row| row.0).sum::<f64>() / n;
    let my = rows.iter().map(|row| row.1).sum::<f64>() / n;
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| rows.iter().map(f).sum::<f64>();
    (
        n,
        sum(&|row| (row.0 - mx).powi(2)),
        sum(&|row| (row.0 - mx) * (row.1 - my)),
        sum(&|row| (row.1 - my).powi(2)),
    )
}

fn slope(rows: &Rows) -> Finding {
    let (n, sxx, sxy, syy) = moments(rows);
    let slope = sxy / sxx;
    figures(slope, ((syy - slope * sxy) / (n - 2.0) / sxx).sqrt(), n - 2.0)
}

fn correlation(rows: &Rows) -> Finding {
    let (n, sxx, sxy, syy) = moments(rows);
    let r = sxy / (sxx * syy).sqrt();
    let t = r * ((n - 2.0) / (1.0 - r * r)).sqrt();
    Finding {
        estimate: Some(r),
        p_value: Some(equal(t_two_sided(t, n - 2.0))),
        scale: Some(Scale::Correlation),
        n: Some(n as u64),
        ..Finding::default()
    }
}

fn one_way(rows: &Rows) -> Finding {
    let n = rows.len() as f64;
    let grand = rows.iter().map(|row| row.1).sum::<f64>() / n;
    let (mut between, mut within, mut count) = (0.0, 0.0, 0.0);
    for level in 0..3 {
        let group: Vec<f64> = rows
            .iter()
            .filter(|row| row.0 == f64::from(level))
            .map(|row| row.1)
            .collect();
        if group.is_empty() {
            continue;
        }
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        between += group.len() as f64 * (mean - grand).powi(2);
        within += group.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
        count += 1.0;
    }
    let (a, b) = (count - 1.0, n - count);
    let f = between / a / (within / b);
    Finding {
        statistic: Some(Statistic {
            kind: StatisticKind::F,
            value: f,
            df: DegreesOfFreedom(vec![a, b]),
        }),
        p_value: Some(equal(f_upper(f, a, b))),
        scale: Some(Scale::Unsigned),
        n: Some(n as u64),
        ..Finding::default()
    }
}

fn case(focal: Finding) -> Case {
    Case {
        further: Vec::new(),
        groups: Vec::new(),
        level: None,
        focal,
        null: 0.0,
        numbers: Digest::compute("1"),
        column: FocalColumn::Named("x".into()),
        literal: None,
        planned: PlannedReruns {
            about_null: true,
            level: Some((0.05, 2)),
            ..PlannedReruns::default()
        },
    }
}

fn run(kind: ProbeKind, repetition: u32, focal: Finding) -> ProbeRun {
    ProbeRun {
        further: Vec::new(),
        trial: Trial { kind, repetition },
        seed: 0,
        ended: ProbeEnd::Ran,
        numbers: Some(Digest::compute(format!("{focal:?}"))),
        focal: Some(focal),
        dropped: None,
        rows: None,
        data: None,
        unwritten: Vec::new(),
        wall_ms: 1,
    }
}

/// Permutes as the schedule does, and says what came of it after how many runs.
fn permuted(rows: &Rows, analysis: Analysis, generator: &mut Generator) -> (Vec<(Facet, bool)>, usize) {
    let case = case(analysis(rows));
    let mut runs = Vec::new();
    let mut more = 3;
    loop {
        for _ in 0..more {
            let mut order: Vec<f64> = rows.iter().map(|row| row.0).collect();
            generator.shuffle(&mut order);
            let changed: Rows = rows.iter().zip(order).map(|(row, x)| (x, row.1)).collect();
            runs.push(run(
                ProbeKind::Permuted,
                runs.len() as u32 + 1,
                analysis(&changed),
            ));
        }
        let made = runs.len();
        more = if made < FIRST {
            FIRST - made
        } else {
            4.min(MOST as usize - made)
        };
        if scatter(&case, &runs).is_none() && made < MOST as usize {
            continue;
        }
        if more == 0 || !wants_permutations(&case, &runs) {
            let found = meaning::misreadings(&case, &runs);
            return (
                found.iter().map(|one| (one.facet, one.decides)).collect(),
                runs.len(),
            );
        }
    }
}

#[test]
fn honest_permutations_raise_no_alarm_and_end_early() {
    let mut generator = Generator::new(11);
    let (mut all, mut made) = (0, 0);
    let mut alarms = Vec::new();
    let mut many = |analysis: Analysis, groups: Option<usize>, name: &str, generator: &mut Generator| {
        for errors in [Errors::Normal, Errors::Heavy, Errors::Uneven] {
            for n in [20, 51, 300] {
                for effect in [0.0, 0.3, 0.6] {
                    for _ in 0..80 {
                        let rows = data(generator, n, effect, errors, groups);
                        let (found, runs) = permuted(&rows, analysis, generator);
                        all += 1;
                        made += runs;
                        for (facet, decides) in found {
                            alarms.push((name.to_owned(), errors, n, effect, facet, decides));
                        }
                    }
                }
            }
        }
    };
    many(&slope, None, "slope", &mut generator);
    many(&slope, Some(2), "two groups", &mut generator);
    many(&one_way, Some(3), "three groups", &mut generator);
    many(&correlation, None, "correlation", &mut generator);
    let mean = made as f64 / f64::from(all);
    println!(
        "{all} honest analyses: {} alarms, {mean:.1} permutations each",
        alarms.len()
    );
    for alarm in &alarms {
        println!("{alarm:?}");
    }
    let deciding = alarms.iter().filter(|alarm| alarm.5).count();
    assert!(deciding * 500 <= all as usize, "{deciding} of {all}: {alarms:#?}");
    assert!(mean < 8.5, "{mean}");
}

/// The share of analyses whose first permutations are not taken for enough.
fn suspected(analysis: Analysis, effect: f64, permutations: u32) -> f64 {
    let mut generator = Generator::new(17);
    let (mut met, mut suspected) = (0, 0);
    for _ in 0..1000 {
        let rows = data(&mut generator, 51, effect, Errors::Normal, None);
        let case = case(analysis(&rows));
        let runs: Vec<ProbeRun> = (1..=permutations)
            .map(|repetition| {
                let mut order: Vec<f64> = rows.iter().map(|row| row.0).collect();
                generator.shuffle(&mut order);
                let changed: Rows = rows.iter().zip(order).map(|(row, x)| (x, row.1)).collect();
                run(ProbeKind::Permuted, repetition, analysis(&changed))
            })
            .collect();
        let is_met = case.focal.p_value.is_some_and(|p| p.below(0.05) == Some(true));
        met += u32::from(is_met);
        suspected += u32::from(is_met && meaning::cut_short(&case, &runs).is_some());
    }
    f64::from(suspected) / f64::from(met)
}

/// Where the time ends early, errors that are too small do not pass, and honest ones do.
#[test]
fn few_permutations_pass_where_they_look_well_alone() {
    let thirds = |rows: &Rows| {
        let found = slope(rows);
        figures(
            found.estimate.unwrap(),
            found.standard_error.unwrap() / 3.0,
            rows.len() as f64 - 2.0,
        )
    };
    for permutations in [3, 5, 7] {
        let honest = suspected(&slope, 0.4, permutations);
        let dishonest = suspected(&thirds, 0.2, permutations);
        println!(
            "{permutations} permutations: {honest:.3} of honest results, {dishonest:.3} of dishonest ones"
        );
        assert!(
            honest < 0.05 && dishonest > 10.0 * honest,
            "{permutations}: {honest} {dishonest}"
        );
    }
}

/// As many as ever are made are enough, though some of them failed.
#[test]
fn whole_permutations_are_not_called_cut_short() {
    let case = case(figures(0.5, 0.2, 49.0));
    let far = |repetition: u32| {
        let estimate = if repetition.is_multiple_of(2) { 0.38 } else { -0.38 };
        run(ProbeKind::Permuted, repetition, figures(estimate, 0.2, 49.0))
    };
    let failed = |repetition: u32| ProbeRun {
        ended: ProbeEnd::Failed {
            ending: Ending::Exited(1),
        },
        focal: None,
        numbers: None,
        ..far(repetition)
    };
    let runs: Vec<ProbeRun> = (1..MOST).map(far).chain([failed(MOST)]).collect();
    assert_eq!(meaning::cut_short(&case, &runs), None);
    assert!(meaning::cut_short(&case, &runs[..runs.len() - 1]).is_some());
    let few = meaning::cut_short(&case, &runs[..5]).unwrap();
    assert!(
        few.decides && few.detail.contains("the 5 results for which there was time"),
        "{few:?}"
    );
}

/// The share of analyses in which a facet is found to decide.
fn share(rows: usize, effect: f64, analysis: Analysis, facet: Facet) -> f64 {
    let mut generator = Generator::new(5);
    let times = 200;
    let found = (0..times)
        .filter(|_| {
            let rows = data(&mut generator, rows, effect, Errors::Normal, None);
            let (found, _) = permuted(&rows, analysis, &mut generator);
            found.contains(&(facet, true))
        })
        .count();
    found as f64 / f64::from(times)
}

#[test]
fn shifts_signs_and_selection_are_found() {
    let shifted = |rows: &Rows| {
        let found = slope(rows);
        let error = found.standard_error.unwrap();
        figures(
            found.estimate.unwrap() + 1.5 * error,
            error,
            rows.len() as f64 - 2.0,
        )
    };
    let unsigned = |rows: &Rows| {
        let found = slope(rows);
        figures(
            found.estimate.unwrap().abs(),
            found.standard_error.unwrap(),
            rows.len() as f64 - 2.0,
        )
    };
    // The best of six outcomes that share half of their variance.
    let best = |rows: &Rows| {
        let bits = rows.iter().map(|row| row.1).sum::<f64>().to_bits();
        let outcomes = (0..6).map(|turn| {
            let mut generator = Generator::new(bits ^ turn);
            let other: Rows = rows
                .iter()
                .map(|row| (row.0, row.1 + normal(&mut generator)))
                .collect();
            slope(&other)
        });
        let t = |finding: &Finding| finding.estimate.unwrap() / finding.standard_error.unwrap();
        outcomes.max_by(|one, other| t(one).total_cmp(&t(other))).unwrap()
    };
    for (name, analysis, least) in [
        ("shifted by 1.5", &shifted as Analysis, 0.93),
        ("unsigned", &unsigned as Analysis, 0.9),
        ("best of six", &best as Analysis, 0.3),
    ] {
        let found = share(60, 0.9, analysis, Facet::Centre);
        println!("{name}: {found}");
        assert!(found >= least, "{name}: {found}");
    }
}

#[test]
fn significance_on_nothing_is_found() {
    let always = |rows: &Rows| {
        let estimate = slope(rows).estimate.unwrap();
        figures(estimate, estimate.abs() / 2.6, rows.len() as f64 - 2.0)
    };
    let found = share(60, 0.6, &always, Facet::Significance);
    assert!(found > 0.98, "{found}");
}

#[test]
fn errors_that_are_too_small_are_found_where_they_decide() {
    let halved = |rows: &Rows| {
        let found = slope(rows);
        figures(
            found.estimate.unwrap(),
            found.standard_error.unwrap() / 2.0,
            rows.len() as f64 - 2.0,
        )
    };
    // Twice as far as a result of 1.9 or so, and one of 8 that halving does not make.
    let weak = share(60, 0.24, &halved, Facet::Spread);
    let strong = share(60, 1.5, &halved, Facet::Spread);
    println!("halved errors: {weak} of weak results, {strong} of strong ones");
    assert!(weak > 0.4 && strong == 0.0, "{weak} {strong}");
}

#[test]
fn an_outcome_in_the_order_of_the_predictor_tells_its_direction() {
    let mut planned = case(figures(1.0, 0.2, 50.0));
    planned.planned.alignable = true;
    planned.planned.outcome = Some(OutcomeColumn {
        name: "y".into(),
        sure: true,
    });
    let runs = |first: f64, second: f64| {
        vec![
            run(ProbeKind::Aligned, 1, figures(first, 0.1, 50.0)),
            run(ProbeKind::Aligned, 2, figures(second, 0.1, 50.0)),
        ]
    };
    assert_eq!(aligned::wanted(&planned, &[]), 1);
    assert_eq!(aligned::wanted(&planned, &runs(2.0, 0.0)[..1]), 1);
    assert_eq!(aligned::wanted(&planned, &runs(-2.0, 0.0)[..1]), 2);
    assert!(aligned::judge(&planned, &runs(2.0, -2.0)).is_none());
    assert!(aligned::judge(&planned, &runs(-2.0, -2.0)).is_none());
    assert!(aligned::judge(&planned, &runs(-2.0, 2.0)).unwrap().decides);
    planned.planned.turns = true;
    assert!(!aligned::judge(&planned, &runs(-2.0, 2.0)).unwrap().decides);
}

#[test]
fn means_under_another_groups_name_are_found_and_other_means_are_not() {
    let level = |name: &str, mean| FocalLevel {
        name: name.into(),
        n: 30,
        mean,
    };
    let group = |name: &str, mean| Group {
        name: name.into(),
        mean: Some(mean),
        ..Group::default()
    };
    let judged = |groups: Vec<Group>| {
        let mut case = case(Finding {
            groups,
            ..Finding::default()
        });
        case.planned.levels = vec![level("bc", 35.5272), level("prof", 67.8484)];
        groups::judge(&case).is_some()
    };
    assert!(judged(vec![group("bc", 67.8484), group("prof", 35.5272)]));
    assert!(judged(vec![group("BC", 67.85)]));
    assert!(!judged(vec![group("bc", 35.53), group("prof", 67.85)]));
    assert!(!judged(vec![group("bc", 67.1), group("prof", 36.0)]));
    assert!(!judged(vec![group("bc", 68.0), group("control", 35.5272)]));
}

#[test]
fn errors_over_clusters_are_not_judged_by_rows_that_are_mixed() {
    let mut case = case(figures(0.5, 0.2, 60.0));
    let runs: Vec<ProbeRun> = (1_u32..=16)
        .map(|at| {
            // A half lies 2.3 errors off, to either side.
            let off = if at % 2 == 0 { 0.36 } else { 0.05 };
            let side = if at % 4 < 2 { 1.0 } else { -1.0 };
            run(ProbeKind::Permuted, at, figures(side * off * 1.3, 0.2, 60.0))
        })
        .collect();
    let decides = |case: &Case| -> Vec<bool> {
        meaning::misreadings(case, &runs)
            .iter()
            .filter(|one| matches!(one.facet, Facet::Spread | Facet::Significance))
            .map(|one| one.decides)
            .collect()
    };
    assert!(decides(&case).contains(&true));
    case.planned.clustered = true;
    let beside = decides(&case);
    assert!(!beside.is_empty() && !beside.contains(&true), "{beside:?}");
}
