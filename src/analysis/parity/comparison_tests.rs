//! Tests of the comparison.

use proptest::prelude::*;

use super::super::used::{DataFile, Script};
use super::*;
use crate::domain::digest::Digest;
use crate::domain::finding::{PValue, Relation};
use crate::domain::ids::ExecutionId;
use crate::domain::verdict::Outcome;

fn finding(name: &str, estimate: f64, n: Option<u64>) -> Finding {
    Finding {
        name: name.to_owned(),
        estimate: Some(estimate),
        standard_error: Some(0.05),
        p_value: Some(PValue {
            relation: Relation::Equal,
            value: 0.003,
        }),
        n,
        ..Finding::default()
    }
}

/// A run whose first finding is the focal one.
fn side(setting: Setting, findings: Vec<Finding>, data: &[&str]) -> Side {
    let script = Script {
        execution: ExecutionId(1),
        path: "work/a.R".parse().unwrap(),
        interpreter: "R".to_owned(),
        version: None,
    };
    Side {
        run: "run".to_owned(),
        setting,
        model: "recorded".to_owned(),
        verdict: Verdict {
            finding: findings.first().cloned(),
            ..Verdict::plain(Outcome::Met, "")
        },
        findings: findings.into_iter().map(Reported::from_finding).collect(),
        used: Used {
            scripts: vec![script],
            data: data
                .iter()
                .map(|name| DataFile {
                    path: format!("replication_data/{name}").parse().unwrap(),
                    digest: Some(Digest::compute(name)),
                    agents: false,
                })
                .collect(),
            others: Vec::new(),
            complete: true,
        },
        given: Vec::new(),
    }
}

fn native() -> Side {
    side(
        Setting::Native,
        vec![finding("rain", 0.251, Some(40))],
        &["a_2.rds"],
    )
}

fn python() -> Side {
    side(
        Setting::Python,
        vec![finding("rain", 0.251, Some(40))],
        &["a_2.rds"],
    )
}

#[test]
fn the_same_data_n_and_verdict_are_the_same() {
    let found = Comparison::new([native(), python()]);
    assert!(found.is_same() && found.sentences.is_empty());
    assert_eq!(found.labels(), ["native", "python"]);
    assert!(found.pairs[0].focal && found.pairs[0].agrees());
}

#[test]
fn other_data_are_found_though_sign_and_verdict_agree() {
    let mut wrong = side(
        Setting::Python,
        vec![finding("rain", 0.263, Some(40))],
        &["a.rds"],
    );
    let found = Comparison::new([native(), wrong.clone()]);
    assert_eq!(found.comparability, Comparability::NotComparable);
    assert!(found.same_verdict && found.pairs[0].same_sign == Some(true) && !found.is_same());
    assert_eq!(
        found.sentences,
        [
            "The native run opened `replication_data/a_2.rds`, which the python run did not.",
            "The python run opened `replication_data/a.rds`, which the native run did not.",
        ]
    );
    // A record with gaps does not show that a file was not opened.
    wrong.used.complete = false;
    let found = Comparison::new([native(), wrong.clone()]);
    assert_eq!(found.comparability, Comparability::NotComparable);
    assert_eq!(found.reasons.len(), 2, "{:?}", found.sentences);
    assert!(found.sentences[0].contains("`replication_data/a.rds`"));
    wrong.used.data.clear();
    let found = Comparison::new([native(), wrong]);
    assert_eq!(found.comparability, Comparability::Unknown);
    assert_eq!(
        found.sentences,
        ["The record of the files that the python run opened may have gaps."]
    );
}

#[test]
fn data_that_the_agent_wrote_are_called_so() {
    let mut own = python();
    own.used.data.push(DataFile {
        path: "work/made_up.csv".parse().unwrap(),
        digest: None,
        agents: true,
    });
    let found = Comparison::new([native(), own]);
    assert!(
        found.sentences[0]
            .ends_with("The agent itself wrote `work/made_up.csv`, so it is no data of the study.")
    );
}

#[test]
fn other_content_under_one_name_is_not_comparable() {
    let mut changed = python();
    changed.used.data[0].digest = Some(Digest::compute("corrected"));
    let found = Comparison::new([native(), changed]);
    assert_eq!(found.comparability, Comparability::NotComparable);
    assert_eq!(
        found.sentences,
        ["The runs were given other contents of `replication_data/a_2.rds`."]
    );
}

#[test]
fn another_n_is_not_comparable_and_an_unknown_one_is_unknown() {
    let with = |n| side(Setting::Python, vec![finding("rain", 0.251, n)], &["a_2.rds"]);
    let found = Comparison::new([native(), with(Some(39))]);
    assert_eq!(
        found.sentences,
        ["N of `rain` is 40 in the native run and 39 in the python run."]
    );
    assert_eq!(found.comparability, Comparability::NotComparable);
    let found = Comparison::new([native(), with(None)]);
    assert_eq!(found.comparability, Comparability::Unknown);
    assert_eq!(
        found.sentences,
        ["The python run does not give N of the focal finding."]
    );
    // Of any pair, not of the focal one alone.
    let further = |n| {
        let findings = vec![finding("rain", 0.251, Some(40)), finding("sun", 0.7, Some(n))];
        side(Setting::Python, findings, &["a_2.rds"])
    };
    let found = Comparison::new([further(40), further(38)]);
    assert_eq!(found.comparability, Comparability::NotComparable);
    assert_eq!(found.labels(), ["first", "second"]);
    assert!(found.sentences[0].starts_with("N of `sun`"));
}

#[test]
fn verdicts_about_different_terms_are_not_comparable() {
    let of = |names: [&str; 2]| {
        let findings = names.map(|name| finding(name, 0.25, Some(40))).to_vec();
        side(Setting::Python, findings, &["a_2.rds"])
    };
    let found = Comparison::new([of(["rain", "sun"]), of(["sun", "rain"])]);
    assert_eq!(
        found.sentences,
        ["The verdicts are about different terms: `rain` in the first run and `sun` in the second run."]
    );
}

#[test]
fn what_did_not_run_or_read_is_unknown() {
    let mut idle = python();
    idle.used = Used::default();
    let found = Comparison::new([native(), idle]);
    assert_eq!(found.sentences, ["No execution of the python run succeeded."]);
    let (mut one, mut two) = (native(), python());
    one.used.data.clear();
    two.used.data.clear();
    let found = Comparison::new([one, two]);
    assert_eq!(found.comparability, Comparability::Unknown);
    let mut silent = python();
    silent.findings.clear();
    silent.verdict.finding = None;
    let found = Comparison::new([native(), silent]);
    assert_eq!(
        found.reasons,
        [Reason::NoFocal { run: Which::Second }, Reason::NothingPaired]
    );
}

#[test]
fn another_verdict_or_sign_is_a_difference() {
    let mut other = python();
    other.verdict.outcome = Outcome::Unmet;
    let found = Comparison::new([native(), other]);
    assert!(found.comparability == Comparability::Comparable && !found.is_same());
    let opposite = side(
        Setting::Python,
        vec![finding("rain", -0.251, Some(40))],
        &["a_2.rds"],
    );
    assert!(!Comparison::new([native(), opposite]).is_same());
}

proptest! {
    #[test]
    fn any_two_runs_can_be_compared(
        numbers in proptest::collection::vec((any::<f64>(), any::<f64>(), any::<u64>(), "\\PC{0,12}"), 0..8),
        other in proptest::collection::vec((any::<f64>(), any::<f64>(), any::<u64>(), "\\PC{0,12}"), 0..8),
        complete: bool,
    ) {
        let findings = |numbers: Vec<(f64, f64, u64, String)>| numbers.into_iter().map(|(estimate, error, n, name)| Finding {
            name,
            estimate: Some(estimate),
            standard_error: Some(error),
            p_value: Some(PValue { relation: Relation::Less, value: error }),
            n: Some(n),
            ..Finding::default()
        }).collect::<Vec<_>>();
        let first = side(Setting::Native, findings(numbers), &["a"]);
        let mut second = side(Setting::Python, findings(other), &["a"]);
        second.used.complete = complete;
        let total = first.findings.len() + second.findings.len();
        let found = Comparison::new([first, second]);
        prop_assert_eq!(2 * found.pairs.len() + found.unpaired.len(), total);
        prop_assert_eq!(found.reasons.len(), found.sentences.len());
        prop_assert!(complete || found.comparability != Comparability::Comparable);
        prop_assert!(serde_json::to_string(&found).is_ok());
    }
}
