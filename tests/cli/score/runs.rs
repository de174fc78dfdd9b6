use serde_json::Value;

use super::given::{finished, json_of, write};
use crate::support::{Place, RUN};

#[test]
fn a_run_is_scored_by_code_alone() {
    let place = finished();
    let journal = std::fs::read(place.path().join("out/journal.jsonl")).unwrap();
    let called = place.call(&["score", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("score_run", place.plain(&called.stdout));
    let read = |name: &str| std::fs::read_to_string(place.path().join("out").join(name)).unwrap();
    let scores: Value = serde_json::from_str(&read("scores.json")).unwrap();
    let fields = &scores["judges"][0]["stages"][0]["against"][0]["grading"]["fields"];
    assert_eq!(
        (&fields[0]["path"], &fields[0]["mark"]),
        (&"1.1.1".into(), &1.into())
    );
    // Two checkpoints are left to a judge, so that there is no file to take a mean of.
    assert!(!place.path().join("out/evals/code/execute_llm_eval.json").exists());
    let summary: Value = serde_json::from_str(&read("evals/code/eval_summary.json")).unwrap();
    assert_eq!(summary, serde_json::json!({}));
    assert_eq!(scores["outcome"]["right"], true);
    let page = read("scores.html");
    assert!(page.contains("Criterion met") && !page.contains("src=\"http") && !page.contains("<script"));
    assert_eq!(
        std::fs::read(place.path().join("out/journal.jsonl")).unwrap(),
        journal,
        "scoring touched the run"
    );
}

#[test]
fn mistakes_are_answered_in_one_line() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("empty")).unwrap();
    write(&place, "bad.json", "{");
    let mut told = String::new();
    let mut tell = |arguments: &[&str]| told.push_str(&place.complaint(arguments));
    tell(&["score", "empty"]);
    tell(&["score", "search", "--gold", "none.json", "--predictions", "x"]);
    tell(&[
        "score",
        "search",
        "--gold",
        "bad.json",
        "--predictions",
        "bad.json",
    ]);
    tell(&["score", "summary", "empty"]);
    tell(&["score", "outcome", "bad.json"]);
    tell(&["score", "outcome", "empty"]);
    tell(&["score", "agreement", "bad.json", "bad.json"]);
    tell(&["score", "agreement", "empty"]);
    tell(&["score", "failures", "empty"]);
    insta::assert_snapshot!("score_mistakes", place.plain(&told));
}

/// The failures of a run whose report is mended from the fixture's.
fn failures_where(report: impl Fn(&mut Value)) -> Value {
    let place = Place::new();
    let study = place.study();
    let bytes = std::fs::read(study.join("recordings/native.json")).unwrap();
    let mut recording: Value = serde_json::from_slice(&bytes).unwrap();
    let turns = recording["stages"]["execute"]["turns"].as_array_mut().unwrap();
    report(&mut turns.last_mut().unwrap()["answer"]);
    write(&place, "mended.json", &recording.to_string());
    let called = place.call(
        &[
            &RUN[..7],
            &["out", "--sandbox", "local", "--model", "scripted:./mended.json"],
        ]
        .concat(),
    );
    assert!([0, 4].contains(&called.status), "{}", called.stderr);
    json_of(&place.call(&["score", "failures", "out", "--json"]))["total"]["by_cause"].take()
}

#[test]
fn a_result_that_was_not_had_from_its_output_is_a_class_of_its_own() {
    let findings = "/json/results/findings_summary";
    let as_printed = failures_where(|_| ());
    assert!(as_printed.get("result_extraction").is_none(), "{as_printed}");
    let invented = failures_where(|answer| {
        answer.pointer_mut(findings).unwrap()[0]["value"] = "2.71".into();
    });
    assert_eq!(invented["result_extraction"], 1, "{invented}");
    let nothing = failures_where(|answer| *answer.pointer_mut(findings).unwrap() = Value::Array(Vec::new()));
    assert_eq!(nothing["result_extraction"], 1, "{nothing}");
    // Another coefficient is another analysis, and not a failure to read one.
    let other = failures_where(|answer| {
        answer.pointer_mut(findings).unwrap()[0]["outcome_name"] = "rain".into();
    });
    assert!(other.get("result_extraction").is_none(), "{other}");
}
