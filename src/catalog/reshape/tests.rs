//! Answers in odd forms, read to the same values.

use serde_json::json;

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::normalise::{normalise, read};
use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::finding::{PValue, Relation};
use crate::domain::rule::Rule;
use crate::domain::stage::Stage;

#[test]
fn a_reference_with_one_inline_result_is_read() {
    let value = json!({"original_study": {
        "": {"data": [{"source": "A"}, {"source": "B"}]},
        "claim": {"hypothesis": "taller is better", "statement": "s", "hypothesis_location": "p. 2"},
        "results": {"summary": "found", "value": "b = −2.35**", "p_value": "< .05",
            "confidence_interval": "[-4.1, -0.6]", "statistical_significance": true}},
        "method": {"steps": "count"}});
    let read: PostRegistration = read(Stage::EXTRACT, value).unwrap();
    let study = &read.original_study;
    assert_eq!(study.claim.hypotheses, ["taller is better"]);
    assert_eq!(study.claim.hypotheses_location, "p. 2");
    assert_eq!(study.data.source, "A; B");
    assert_eq!(study.method.steps, ["count"]);
    let findings = read.original_findings();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].estimate, Some(-2.35));
    assert_eq!(
        findings[0].p_value,
        Some(PValue {
            relation: Relation::Less,
            value: 0.05
        })
    );
    assert_eq!(findings[0].interval.unwrap().lower, -4.1);
    assert_eq!(
        study.results.numerical_results[0].statistical_significance,
        "true"
    );
}

#[test]
fn a_plan_without_its_root_is_read() {
    let value = json!({"language": "python", "entrypoint": "python main.py", "packages": ["numpy"],
        "docker_specs": {"base_image": "python:3.12-slim"},
        "criterion": {"focal_term": "height", "direction": "+", "alpha": "5%", "two_sided": "two-sided"},
        "codebase": {"files": ["a.R (to be written)", "main.py"]}});
    let read: ReplicationInfo = read(Stage::DESIGN, value).unwrap();
    let criterion = read.criterion().unwrap();
    assert_eq!(criterion.direction, ClaimedEffect::Positive);
    assert_eq!((criterion.alpha, criterion.two_sided), (0.05, true));
    assert_eq!(read.plan().unwrap().0[0].path.as_str(), "work/main.py");
    assert_eq!(read.environment().unwrap().python, ["numpy"]);
    let files: Vec<_> = read.replication_study.codebase.files.keys().collect();
    assert_eq!(files, ["a.R", "main.py"]);
    assert_eq!(read.replication_study.extra["language"], "python");
    assert_eq!(read.shortcomings(None), []);
}

#[test]
fn a_rule_is_read_by_its_name_in_words() {
    let value = json!({"replication_study": {"criterion": {
        "focal_term": "height", "direction": "positive", "alpha": 0.05, "two_sided": true,
        "rule": "Prediction interval", "parameters": {"unit": "gulls a metre"}, "reason": "As in the claim.",
        "original": {"estimate": "1.5", "p_value": "p = .02", "n": "40", "degrees_of_freedom": "38"}}}});
    let read: ReplicationInfo = read(Stage::DESIGN, value).unwrap();
    let criterion = read.criterion().unwrap();
    assert_eq!(criterion.rule, Rule::PredictionInterval);
    let original = criterion.original.unwrap();
    assert_eq!((original.estimate, original.n), (Some(1.5), Some(40)));
    assert_eq!(original.df, Some(38.0));
    assert_eq!(original.p_value.map(|p| p.value), Some(0.02));
    let faults = read.shortcomings(None);
    assert!(
        faults.iter().all(|fault| !fault.path.contains("criterion")),
        "{faults:?}"
    );
}

#[test]
fn a_claim_of_no_effect_is_read_in_other_words() {
    for word in ["none", "Null", "no effect", "zero", "= 0"] {
        let value = json!({"replication_study": {"criterion": {"focal_term": "height", "direction": word,
            "alpha": 0.05, "two_sided": true, "rule": "equivalence", "reason": "The paper's own bounds.",
            "parameters": {"unit": "cm", "sesoi": 0.5}}}});
        let read: ReplicationInfo = read(Stage::DESIGN, value).unwrap();
        assert_eq!(
            read.criterion().unwrap().direction,
            ClaimedEffect::NoEffect,
            "{word}"
        );
        let faults = read.shortcomings(None);
        assert!(
            faults.iter().all(|fault| !fault.path.contains("criterion")),
            "{faults:?}"
        );
    }
}

#[test]
fn degrees_of_freedom_are_a_number_above_zero_or_sent_back() {
    let of = |key: &str, df: serde_json::Value| -> ExecutionResults {
        let value = json!({"execution_summary": "ran", "results": {"findings_summary": [
            {"outcome_name": "height", "value": 0.25, key: df}]}});
        read(Stage::EXECUTE, value).unwrap()
    };
    for (key, given, expected) in [
        ("df", json!(97), Some(97.0)),
        ("degrees_of_freedom", json!("df = 31.4"), Some(31.4)),
        ("df", json!("not stated"), None),
        ("df", json!(null), None),
    ] {
        let read = of(key, given);
        assert_eq!((read.findings()[0].df, read.shortcomings()), (expected, vec![]));
    }
    for given in [json!(0), json!(-2), json!("-2"), json!("Inf")] {
        let told = of("df", given.clone()).shortcomings();
        assert_eq!(told.len(), 1, "{given}");
        let told = told[0].to_string();
        assert!(
            told.contains("/findings_summary/0/df") && told.contains("no number of degrees"),
            "{told}"
        );
    }
}

#[test]
fn sections_inside_the_data_plan_and_versions_as_objects_are_read() {
    let value = json!({"replication_study": {"data_plan": {"docker_specs": {
        "base_image": "x", "packages": {"python": {"pandas": "2.1", "numpy": ">=1.26"}, "system": ["git"]},
        "privileged": true}}}});
    let read: ReplicationInfo = read(Stage::DESIGN, value).unwrap();
    let environment = read.environment().unwrap();
    assert_eq!(environment.python, ["pandas==2.1", "numpy>=1.26"]);
    assert_eq!(environment.system, ["git"]);
    assert_eq!(read.ignored(), ["the container option `privileged`"]);
    assert_eq!(read.shortcomings(None).len(), 2, "neither a criterion nor a plan");
}

#[test]
fn intervals_of_findings_are_read_in_every_form() {
    for interval in [
        json!([0.1, 0.4]),
        json!({"lower": "0.1", "upper": 0.4}),
        json!("0.1 to 0.4"),
    ] {
        let value = json!({"execution_summary": "ran", "results": {"findings_summary": {
            "outcome_name": "height", "value": "0.25", "standard_error": 0.08,
            "confidence_interval": interval, "p_value": "p < .01", "n": "1,204"}}});
        let read: ExecutionResults = read(Stage::EXECUTE, value).unwrap();
        let finding = &read.findings()[0];
        assert_eq!(finding.estimate, Some(0.25));
        assert_eq!(finding.n, Some(1204));
        let interval = finding.interval.unwrap();
        assert_eq!((interval.lower, interval.upper), (0.1, 0.4));
    }
}

#[test]
fn a_search_answer_of_an_older_run_gets_the_published_keys() {
    let value = json!({
        "urls": [{"url": "https://a.org", "name": "Data", "why": "the sample", "kind": "data"}],
        "missing": [{"what": "Codebook", "query": "codebook", "why": "no result"}],
    });
    let (canonical, deviations) = normalise(Stage::SEARCH, value).unwrap();
    let published = json!({
        "urls": [{"url": "https://a.org", "kind": "data", "resource_name": "Data", "why_needed": "the sample"}],
        "missing": [{"resource_name": "Codebook", "search_query": "codebook", "why": "no result"}],
    });
    assert_eq!(canonical, published);
    assert_eq!(deviations.len(), 4, "{deviations:?}");
    // One that ReplicatorBench released is canonical as it is.
    let (same, deviations) = normalise(Stage::SEARCH, published.clone()).unwrap();
    assert_eq!((same, deviations), (published, vec![]));
}
