use reprise::domain::rule::Rule;
use reprise::statistics::distributions::{t_quantile, t_upper};
use reprise::verdict::criteria::assess::apply;
use reprise::verdict::criteria::study::{StudyEstimate, StudyPair};
use serde_json::{Value, json};

use crate::oracles;

const PAIRS: [[f64; 4]; 9] = [
    [0.25, 0.08, 0.10, 0.04],
    [0.25, 0.08, 0.20, 0.05],
    [0.25, 0.08, -0.02, 0.03],
    [-4.1, 0.56, -2.2, 0.4],
    [-4.1, 0.56, 0.9, 0.4],
    [1.0, 0.5, 1.0, 0.5],
    [0.3, 0.2, 0.31, 0.02],
    [2e-4, 1e-4, 5e-5, 2e-5],
    [0.02, 0.3, 0.9, 0.4],
];

fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs().max(1e-12)
}

#[test]
fn every_value_equals_scipys() {
    let Some(answer) = oracles::ask("criteria.py", &json!(PAIRS)) else {
        return;
    };
    let rule_name = |rule: Rule| serde_json::to_value(rule).unwrap().as_str().unwrap().to_owned();
    let mut compared = 0;
    for (numbers, expected) in PAIRS.iter().zip(answer["criteria"].as_array().unwrap()) {
        let study = |estimate, error| StudyEstimate::new(estimate, error, None).unwrap();
        let pair = StudyPair {
            sesoi: Some(0.3),
            ..StudyPair::new(study(numbers[0], numbers[1]), study(numbers[2], numbers[3]))
        };
        for rule in Rule::all() {
            if let Some(expected) = expected[rule_name(rule)].as_f64() {
                let found = apply(rule, &pair).value.unwrap();
                assert!(
                    near(found, expected, 1e-8),
                    "{rule} of {numbers:?}: {found}, scipy {expected}"
                );
                compared += 1;
            }
            if let Some(bounds) = expected["intervals"].get(rule_name(rule)) {
                let found = apply(rule, &pair)
                    .interval
                    .map(|found| [found.lower, found.upper]);
                let bounds = bounds
                    .as_array()
                    .map(|both| [0, 1].map(|at| both[at].as_f64().unwrap()));
                assert_eq!(found.is_some(), bounds.is_some(), "{rule} of {numbers:?}");
                let both = found.into_iter().flatten().zip(bounds.into_iter().flatten());
                for (found, expected) in both {
                    assert!(
                        near(found, expected, 1e-7),
                        "{rule} of {numbers:?}: {found}, scipy {expected}"
                    );
                }
            }
        }
    }
    assert_eq!(compared, 10 * PAIRS.len());
    student(&answer);
}

fn student(answer: &Value) {
    let rows = |name: &str| answer[name].as_array().unwrap().clone();
    for row in rows("quantiles") {
        let [df, p, expected] = [0, 1, 2].map(|at| row[at].as_f64().unwrap());
        let found = t_quantile(p, df);
        assert!(
            near(found, expected, 1e-9),
            "t quantile of {p} with {df}: {found}, scipy {expected}"
        );
    }
    for row in rows("tails") {
        let [df, t, expected] = [0, 1, 2].map(|at| row[at].as_f64().unwrap());
        let found = t_upper(t, df);
        assert!(
            near(found, expected, 1e-8),
            "t tail of {t} with {df}: {found}, scipy {expected}"
        );
    }
}
