//! Results held against the model, the rows and the claim that were planned.

use reprise::domain::data_table::DataTable;
use reprise::domain::doubt::DoubtCause;
use reprise::domain::verdict::{Outcome, Verdict};
use reprise::verdict::contrary_evidence::DataFacts;
use reprise::verdict::plan_words::PlanWords;
use serde_json::{Value, json};

use super::support::{More, judged, recorded};

/// The plan: y on x, with z held equal, over the 100 rows of one file.
fn planned(expected: Option<u64>) -> More {
    let columns = ["y", "other", "x", "z", "w"];
    More {
        plan: PlanWords {
            outcome: "y (score)".to_owned(),
            predictors: "x (dose)".to_owned(),
            controls: "z (age in years)".to_owned(),
            all: "OLS of y on x and z, all rows".to_owned(),
            tables: vec![DataTable {
                path: "replication_data/a.csv".to_owned(),
                rows: 100,
                columns: columns.map(str::to_owned).to_vec(),
                complete: Some(100),
            }],
            ..PlanWords::default()
        },
        data: DataFacts {
            expected,
            ..DataFacts::default()
        },
        ..More::default()
    }
}

fn line(term: &str, estimate: f64, model: &str, n: u64) -> Value {
    json!({"term": term, "estimate": estimate, "se": 0.1, "n": n, "model": model})
}

fn decide_lines(lines: &[Value]) -> Verdict {
    judged(json!({}), lines, planned(Some(100)))
}

fn open(verdict: &Verdict, cause: DoubtCause) {
    assert_eq!(
        (verdict.outcome, verdict.cause),
        (Outcome::Inconclusive, Some(cause)),
        "{verdict:#?}"
    );
}

#[test]
fn a_result_of_another_model_decides_nothing() {
    assert_eq!(
        decide_lines(&[line("x", 0.5, "OLS y ~ x + z", 100)]).outcome,
        Outcome::Met
    );
    for model in ["OLS y ~ x", "OLS y ~ x + z + w", "OLS other ~ x + z"] {
        open(&decide_lines(&[line("x", 0.5, model, 100)]), DoubtCause::Model);
    }
}

#[test]
fn of_several_lines_the_one_of_the_planned_model_counts() {
    let honest = line("x", 0.05, "OLS y ~ x + z", 100);
    let found = decide_lines(&[line("x", 0.5, "OLS y ~ x", 100), honest.clone()]);
    assert_eq!(found.outcome, Outcome::Unmet, "{found:#?}");
    // Under a longer name, too.
    let named = line("x in the planned model", 0.05, "OLS y ~ x + z", 100);
    let found = decide_lines(&[named, line("x", 0.5, "OLS y ~ x", 100)]);
    assert_eq!(found.outcome, Outcome::Unmet, "{found:#?}");
    // A part of the rows is a robustness check.
    let found = decide_lines(&[
        line("x", 0.5, "OLS y ~ x + z", 100),
        line("x", 0.1, "OLS y ~ x + z", 40),
    ]);
    assert_eq!(found.outcome, Outcome::Met, "{found:#?}");
    // Nothing tells which of two is the planned one.
    let found = decide_lines(&[honest, line("x", 0.5, "OLS y ~ x + z", 100)]);
    open(&found, DoubtCause::Several);
}

#[test]
fn a_line_without_an_estimate_is_not_overlooked() {
    let bare = json!({"term": "x", "statistic": {"kind": "t", "value": 0.2, "df": 97}, "n": 100});
    let found = decide_lines(&[bare, json!({"term": "x", "estimate": 0.5, "se": 0.1, "n": 100})]);
    open(&found, DoubtCause::Several);
}

#[test]
fn more_rows_than_the_file_has_are_no_planned_sample() {
    let doubled = line("x", 0.5, "OLS y ~ x + z", 200);
    open(
        &judged(json!({}), std::slice::from_ref(&doubled), planned(None)),
        DoubtCause::SampleSize,
    );
    let reshaped = judged(json!({}), &[doubled], planned(Some(200)));
    assert_eq!(reshaped.outcome, Outcome::Met, "{reshaped:#?}");
}

#[test]
fn the_plan_claims_what_the_original_shows() {
    let original = recorded(&[json!({"term": "x", "estimate": 0.4, "se": 0.1, "p": 0.0001})])
        .into_iter()
        .next();
    let of = |given: Value, estimate: f64| {
        let more = More {
            original: original.clone(),
            ..planned(Some(100))
        };
        judged(given, &[line("x", estimate, "OLS y ~ x + z", 100)], more)
    };
    assert_eq!(of(json!({}), 0.5).outcome, Outcome::Met);
    open(&of(json!({"direction": "negative"}), 0.5), DoubtCause::Claim);
    let turned = json!({"direction": "negative", "reason": "The new scale is reversed."});
    let found = of(turned, -0.5);
    assert_eq!(found.outcome, Outcome::Met, "{found:#?}");
    assert!(found.doubts.iter().any(|doubt| doubt.cause == DoubtCause::Claim));
    let none =
        json!({"direction": "none", "rule": "equivalence", "parameters": {"sesoi": 10}, "reason": "Small."});
    open(&of(none, 0.5), DoubtCause::Claim);
}

#[test]
fn one_sided_p_values_lie_on_the_side_of_their_estimate() {
    let of = |side: &str| {
        let p = json!({"value": 0.001, "sides": 1, "alternative": side});
        judged(
            json!({}),
            &[json!({"term": "x", "estimate": 0.5, "p": p})],
            More::default(),
        )
    };
    assert_eq!(of("greater").outcome, Outcome::Met);
    open(&of("less"), DoubtCause::Sides);
}

#[test]
fn ratios_and_differences_are_told_apart_without_their_name() {
    // An odds ratio of .80 with its interval alone.
    let ratio =
        json!({"term": "x", "estimate": 0.798246, "interval": {"lower": 0.658752, "upper": 0.967278}});
    open(&judged(json!({}), &[ratio], More::default()), DoubtCause::Scale);
    // A coefficient that is called a ratio.
    let difference =
        json!({"term": "x", "estimate": 0.00136, "se": 0.000224, "p": 1.28e-9, "n": 5000, "scale": "ratio"});
    open(
        &judged(json!({}), &[difference], More::default()),
        DoubtCause::Scale,
    );
}

#[test]
fn a_margin_is_only_as_good_as_the_error_beside_it() {
    let line = json!({"term": "x", "estimate": 0.1, "se": 0.01, "p": 0.6});
    let given = json!({"test": "non_inferiority", "margin": 0.2, "reason": "The trial's own test."});
    let found = judged(given, &[line], More::default());
    assert_eq!(found.outcome, Outcome::Inconclusive, "{found:#?}");
    assert!(
        found
            .doubts
            .iter()
            .any(|doubt| doubt.decides && doubt.cause == DoubtCause::PValue)
    );
}
