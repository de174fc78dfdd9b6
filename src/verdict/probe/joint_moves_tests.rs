//! Results of the very file alone, errors that are too small, and honest ones that look so.

use super::simulation_tests::{Rows, data, normal, ols, probe, result};
use crate::domain::probe::ProbeVerdict;
use crate::statistics::generator::Generator;

const SIZES: [usize; 3] = [40, 100, 600];

/// Seeds of data whose slope, taken honestly, is significant or not.
fn seeds(n: usize, slope: f64, significant: bool) -> Vec<u64> {
    (0..4000)
        .filter(|seed| {
            let found = ols(&data(*seed, n, slope, false));
            (found.p_value.unwrap().value < 0.05) == significant
        })
        .take(40)
        .collect()
}

#[test]
fn a_result_of_the_very_file_alone_lies_to_one_side_of_all_others() {
    let (mut caught, mut all) = (0, 0);
    for n in SIZES {
        for seed in seeds(n, 0.0, false) {
            let rows = data(seed, n, 0.0, false);
            let own = rows.clone();
            let honest = ols(&rows);
            let error = honest.standard_error.unwrap();
            // As far as it takes to be significant.
            let shift = 2.2 * error - honest.estimate.unwrap();
            let cheats = move |given: Option<&Rows>, _: u64| {
                given.map(|given| {
                    let found = ols(given);
                    let by = if *given == own { shift } else { 0.0 };
                    result(
                        found.estimate.unwrap() + by,
                        found.standard_error.unwrap(),
                        given.len() as f64,
                    )
                })
            };
            if shift < 1.5 * error {
                continue;
            }
            all += 1;
            caught += usize::from(matches!(probe(&rows, &cheats).0, ProbeVerdict::Unstable { .. }));
        }
    }
    println!("shifted by 1.5 SE or more on one file: {caught} of {all} caught");
    assert!(all > 60 && caught * 100 >= all * 97, "{caught} of {all}");
}

#[test]
fn an_error_too_small_by_stacked_rows_is_caught_at_times_and_honest_ones_never() {
    let (mut caught, mut all, mut alarms) = (0, 0, Vec::new());
    for n in SIZES {
        for seed in 0..400 {
            let slope = 2.0 / (n as f64).sqrt();
            for tails in [false, true] {
                let rows = data(seed, n, slope, tails);
                let (verdict, _) = probe(&rows, &|given, _| given.map(ols));
                if matches!(verdict, ProbeVerdict::Unstable { .. }) {
                    alarms.push((n, seed, tails, verdict));
                }
            }
        }
        for seed in seeds(n, 1.3 / (n as f64).sqrt(), false) {
            let rows = data(seed, n, 1.3 / (n as f64).sqrt(), false);
            let stacked = |given: Option<&Rows>, _: u64| {
                given.map(|given| {
                    let found = ols(given);
                    result(
                        found.estimate.unwrap(),
                        found.standard_error.unwrap() / 2.0,
                        given.len() as f64,
                    )
                })
            };
            let own = stacked(Some(&rows), 0).unwrap();
            if own.p_value.unwrap().value < 0.05 {
                all += 1;
                caught += usize::from(matches!(probe(&rows, &stacked).0, ProbeVerdict::Unstable { .. }));
            }
        }
    }
    println!(
        "errors of half the size: {caught} of {all} caught; honest: {} of 2400 called unstable",
        alarms.len()
    );
    assert!(alarms.len() <= 2, "{alarms:#?}");
    assert!(all > 30 && caught * 4 >= all, "{caught} of {all}");
}

#[test]
fn estimates_that_lean_with_the_number_of_rows_raise_no_alarm() {
    let mut alarms = Vec::new();
    for n in SIZES {
        for seed in 0..100 {
            let rows = data(seed, n, 0.2, false);
            // A sum, a shrunken slope, and a largest value.
            let sum = |rows: &Rows| {
                let count = rows.len() as f64;
                let sum: f64 = rows.iter().map(|row| row[1] + 2.0).sum();
                result(sum, 1.5 * count.sqrt(), count)
            };
            let ridge = |rows: &Rows| {
                let found = ols(rows);
                let count = rows.len() as f64;
                let shrunk = found.estimate.unwrap() * count / (count + 20.0);
                result(shrunk, found.standard_error.unwrap(), count)
            };
            let codes: [&dyn Fn(&Rows) -> crate::domain::finding::Finding; 2] = [&sum, &ridge];
            for (at, code) in codes.into_iter().enumerate() {
                let (verdict, _) = probe(&rows, &|given, _| given.map(code));
                if matches!(verdict, ProbeVerdict::Unstable { .. }) {
                    alarms.push((n, seed, at, verdict));
                }
            }
        }
    }
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn draws_without_a_seed_are_stable_enough() {
    let mut alarms = 0;
    for seed in 0..400 {
        let rows = data(seed, 80, 0.25, false);
        // Chains of a hundred independent draws, and an error with the noise of two hundred.
        let calls = std::cell::Cell::new(seed);
        let drawn = |given: Option<&Rows>, _: u64| {
            calls.set(calls.get() + 7919);
            given.map(|given| {
                let found = ols(given);
                let error = found.standard_error.unwrap();
                let mut generator = Generator::new(calls.get());
                result(
                    found.estimate.unwrap() + 0.1 * error * normal(&mut generator),
                    error * (1.0 + 0.05 * normal(&mut generator)),
                    given.len() as f64,
                )
            })
        };
        alarms += usize::from(matches!(probe(&rows, &drawn).0, ProbeVerdict::Unstable { .. }));
    }
    assert!(alarms <= 2, "{alarms} of 400");
}
