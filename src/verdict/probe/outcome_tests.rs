//! Tests of a permuted outcome, on honest analyses that transform or filter it and on dishonest
//! ones.

use super::case::{Case, FocalColumn};
use super::outcome::{self, PermutedOutcome};
use super::planned::{OutcomeColumn, PlannedReruns};
use super::schedule;
use crate::domain::digest::Digest;
use crate::domain::finding::{Finding, PValue, Relation};
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun};
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::statistics::distributions::{normal_quantile, t_two_sided};
use crate::statistics::generator::Generator;

/// Predictor, outcome and another outcome, row by row.
type Rows = Vec<[f64; 3]>;
type Analysis<'a> = &'a dyn Fn(&Rows) -> Finding;

fn normal(generator: &mut Generator) -> f64 {
    normal_quantile(generator.uniform().clamp(1e-12, 1.0 - 1e-12))
}

fn data(generator: &mut Generator, n: usize, slope: f64) -> Rows {
    (0..n)
        .map(|_| {
            let x = normal(generator);
            [x, slope * x + normal(generator), slope * x + normal(generator)]
        })
        .collect()
}

/// The slope of what `outcome` makes of a row, in the rows where it gives something.
fn slope(rows: &Rows, outcome: &dyn Fn(&[f64; 3]) -> Option<f64>) -> Finding {
    let pairs: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row[0], outcome(row)?)))
        .collect();
    let n = pairs.len() as f64;
    let mx = pairs.iter().map(|pair| pair.0).sum::<f64>() / n;
    let my = pairs.iter().map(|pair| pair.1).sum::<f64>() / n;
    let sxx: f64 = pairs.iter().map(|pair| (pair.0 - mx).powi(2)).sum();
    let sxy: f64 = pairs.iter().map(|pair| (pair.0 - mx) * (pair.1 - my)).sum();
    let syy: f64 = pairs.iter().map(|pair| (pair.1 - my).powi(2)).sum();
    let slope = sxy / sxx;
    let error = ((syy - slope * sxy) / (n - 2.0) / sxx).sqrt();
    let t = slope / error;
    Finding {
        estimate: Some(slope),
        standard_error: Some(error),
        statistic: Some(Statistic {
            kind: StatisticKind::T,
            value: t,
            df: DegreesOfFreedom(vec![n - 2.0]),
        }),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: t_two_sided(t, n - 2.0),
        }),
        df: Some(n - 2.0),
        n: Some(n as u64),
        ..Finding::default()
    }
}

/// Probes an analysis by the schedule, and says what the permuted outcome came to and
/// after how many runs of it.
fn probed(rows: &Rows, analysis: Analysis, column: FocalColumn) -> (PermutedOutcome, usize) {
    probed_on(rows, analysis, column, true)
}

/// The same; `sure` if the plan names the column as the whole outcome.
fn probed_on(rows: &Rows, analysis: Analysis, column: FocalColumn, sure: bool) -> (PermutedOutcome, usize) {
    let focal = analysis(rows);
    let numbers = |finding: &Finding| Digest::compute(format!("{finding:?}"));
    let case = Case {
        further: Vec::new(),
        groups: Vec::new(),
        level: None,
        numbers: numbers(&focal),
        focal,
        null: 0.0,
        column,
        literal: None,
        planned: PlannedReruns {
            about_null: true,
            level: Some((0.05, 2)),
            outcome: Some(OutcomeColumn {
                name: "y".into(),
                sure,
            }),
            ..PlannedReruns::default()
        },
    };
    let mut runs: Vec<ProbeRun> = Vec::new();
    loop {
        let wanted = schedule::next(&case, &runs);
        if wanted.is_empty() {
            let made = runs
                .iter()
                .filter(|run| run.trial.kind == ProbeKind::Outcome)
                .count();
            return (outcome::judge(&case, &runs), made);
        }
        for trial in wanted {
            let mut generator = Generator::new(trial.seed(rows[0][0].to_bits()));
            let mut changed = rows.clone();
            let moved = match trial.kind {
                ProbeKind::Permuted => Some(0),
                ProbeKind::Outcome => Some(1),
                _ => None,
            };
            if let Some(column) = moved {
                let mut cells: Vec<f64> = rows.iter().map(|row| row[column]).collect();
                generator.shuffle(&mut cells);
                for (row, cell) in changed.iter_mut().zip(cells) {
                    row[column] = cell;
                }
            }
            let mut dropped = None;
            if trial.kind == ProbeKind::Dropped {
                generator.shuffle(&mut changed);
                changed.truncate(rows.len() - rows.len() / 10);
                dropped = Some((rows.len() / 10) as f64 / rows.len() as f64);
            }
            let focal = (trial.kind != ProbeKind::Without).then(|| analysis(&changed));
            runs.push(ProbeRun {
                further: Vec::new(),
                trial,
                seed: 0,
                ended: ProbeEnd::Ran,
                numbers: focal.as_ref().map(numbers),
                focal,
                dropped,
                rows: dropped.map(|_| rows.len() as u64),
                data: None,
                unwritten: Vec::new(),
                wall_ms: 1,
            });
        }
        assert!(runs.len() < 80, "it does not end");
    }
}

fn named() -> FocalColumn {
    FocalColumn::Named("x".into())
}

#[test]
fn honest_outcomes_raise_no_alarm() {
    let plain = |rows: &Rows| slope(rows, &|row| Some(row[1]));
    let logged = |rows: &Rows| slope(rows, &|row| Some((row[1] + 9.0).ln()));
    let filtered = |rows: &Rows| slope(rows, &|row| (row[1] < 1.0).then_some(row[1]));
    let split = |rows: &Rows| slope(rows, &|row| Some(f64::from(row[1] > 0.3)));
    let cubed = |rows: &Rows| slope(rows, &|row| Some(row[1].powi(3)));
    let mut generator = Generator::new(21);
    let (mut all, mut alarms, mut made) = (0, 0, 0);
    for analysis in [&plain as Analysis, &logged, &filtered, &split, &cubed] {
        for n in [25, 60, 300] {
            for effect in [0.0, 0.3, 1.0] {
                for _ in 0..60 {
                    let (found, runs) = probed(&data(&mut generator, n, effect), analysis, named());
                    all += 1;
                    made += runs;
                    alarms += usize::from(matches!(
                        found,
                        PermutedOutcome::Misread(_) | PermutedOutcome::NotFromData(_)
                    ));
                }
            }
        }
    }
    let mean = made as f64 / all as f64;
    println!("{all} honest outcomes: {alarms} alarms, {mean:.1} permutations each");
    assert!(alarms * 500 <= all, "{alarms} of {all}");
    assert!(mean < 6.5, "{mean}");
}

#[test]
fn another_outcome_and_edited_values_are_found() {
    let mut generator = Generator::new(3);
    let (mut switched, mut edited) = (0, 0);
    for _ in 0..100 {
        let rows = data(&mut generator, 60, 0.8);
        let (found, _) = probed(&rows, &|rows| slope(rows, &|row| Some(row[2])), named());
        switched += usize::from(matches!(found, PermutedOutcome::Misread(found) if found.decides));
        // Values that go with the predictor are typed in for one row of eight.
        let corrections: Vec<(f64, f64)> = rows.iter().step_by(8).map(|row| (row[2], 4.0 * row[0])).collect();
        let typed = |rows: &Rows| {
            slope(rows, &|row| {
                let correction = corrections.iter().find(|(row_of, _)| *row_of == row[2]);
                Some(correction.map_or(row[1], |(_, value)| *value))
            })
        };
        let (found, _) = probed(&rows, &typed, named());
        edited += usize::from(matches!(found, PermutedOutcome::Misread(found) if found.decides));
    }
    println!("{switched} of 100 switched, {edited} of 100 edited");
    assert!(switched >= 98 && edited >= 50, "{switched} {edited}");
}

#[test]
fn one_item_of_a_composite_outcome_accuses_nobody() {
    let mut generator = Generator::new(8);
    let composite = |rows: &Rows| slope(rows, &|row| Some(0.25 * row[1] + 0.75 * row[2]));
    let is_accused = |found: &PermutedOutcome| {
        matches!(
            found,
            PermutedOutcome::Misread(_) | PermutedOutcome::NotFromData(_)
        )
    };
    let (mut guilty, mut honest) = (0, 0);
    for _ in 0..50 {
        let rows = data(&mut generator, 300, 1.0);
        // If the plan names that one column as the outcome, an average with others is another outcome.
        guilty += usize::from(is_accused(&probed_on(&rows, &composite, named(), true).0));
        honest += usize::from(is_accused(&probed_on(&rows, &composite, named(), false).0));
    }
    assert!(guilty >= 45 && honest == 0, "{guilty} {honest}");
}

#[test]
fn constants_under_a_term_that_is_no_column_are_found() {
    let mut generator = Generator::new(4);
    let mut found = 0;
    for _ in 0..50 {
        let rows = data(&mut generator, 60, 0.8);
        let invented = |rows: &Rows| {
            let bits = rows.iter().map(|row| row[0] * row[1]).sum::<f64>().to_bits();
            let noise = normal(&mut Generator::new(bits)) / 3.0;
            Finding {
                estimate: Some(4.0 + noise),
                standard_error: Some(1.0),
                n: Some(60),
                ..Finding::default()
            }
        };
        let (told, _) = probed(&rows, &invented, FocalColumn::Likely("x".into()));
        found += usize::from(matches!(told, PermutedOutcome::NotFromData(_)));
        // A mean that no order has a part in.
        let mean = |rows: &Rows| Finding {
            estimate: Some(rows.iter().map(|row| row[1] + 2.0).sum::<f64>() / rows.len() as f64),
            standard_error: Some(0.2),
            ..Finding::default()
        };
        let (told, _) = probed(&rows, &mean, FocalColumn::Likely("x".into()));
        assert_eq!(told, PermutedOutcome::Void);
    }
    assert!(found >= 48, "{found} of 50");
}
