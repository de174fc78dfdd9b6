//! Runs without an end of the agent's own are neither right nor wrong.

use serde_json::{Value, json};

use super::given::{cut_before, finished, json_of, judge};
use crate::support::Place;

/// A run of the fixture study in `out`, with these words beside the usual ones.
fn run(approve: &str, more: &[&str]) -> (Place, i32) {
    let place = Place::new();
    place.study();
    let status = run_in(&place, approve, more);
    (place, status)
}

fn run_in(place: &Place, approve: &str, more: &[&str]) -> i32 {
    let common = [
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        approve,
        "--sandbox",
        "local",
        "--out",
        "out",
    ];
    place.call(&[&common[..], more].concat()).status
}

/// What `score out` and `score outcome out` say of a run that has no verdict, for this reason.
fn neither_right_nor_wrong(place: &Place, reason: &str) -> Value {
    let called = place.call(&["score", "out", "--json"]);
    let value = json_of(&called);
    let card = &value["runs"][0];
    assert_eq!(card["study"], "slope");
    assert_eq!(
        (
            &card["outcome"]["verdict"],
            &card["outcome"]["right"],
            &card["outcome"]["label"]
        ),
        (&json!(null), &json!(null), &json!("met"))
    );
    let told = card["circumstances"]["unfinished"].as_str().unwrap();
    assert!(told.contains(reason), "{told}");
    assert_eq!(called.stderr.matches(reason).count(), 1, "{}", called.stderr);
    let together = &value["together"]["outcomes"][0];
    assert_eq!(
        (&together["score"]["accuracy"]["of"], &together["unfinished"]),
        (&json!(0), &json!(1))
    );
    let shown = place.call(&["score", "out"]).stdout;
    assert!(shown.contains("no verdict (neither right nor wrong"), "{shown}");
    assert!(
        shown.contains("1 more run has no end of the agent's own"),
        "{shown}"
    );
    let outcome = place.call(&["score", "outcome", "out"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("1 without an end of the agent's own")
            && !outcome.stdout.contains("accuracy"),
        "{}",
        outcome.stdout
    );
    card.clone()
}

/// The checkpoints have no share, and none of them is failed.
fn nothing_failed(card: &Value) {
    let headlines = card["headlines"].as_array().unwrap();
    let checkpoints = headlines.last().unwrap();
    assert!(checkpoints["value"].is_null(), "{checkpoints}");
    let mut lines = card["scores"].as_array().unwrap().iter();
    assert!(lines.all(|line| line["value"] != 0.0 || line["group"] != "execution checkpoints"));
    let against = &card["judges"][0]["stages"][0]["against"][0];
    assert!(against["figures"]["score"].is_null(), "{}", against["figures"]);
    let fields = against["grading"]["fields"].as_array().unwrap();
    assert!(fields.iter().all(|field| field["mark"] != 0), "{fields:?}");
    let left: Vec<&Value> = fields
        .iter()
        .filter(|field| field["mark"] == "unscored")
        .collect();
    assert!(!left.is_empty());
    for field in left {
        let why = field["given"][0]["explanation"].as_str().unwrap();
        assert!(why.starts_with("Not reached: the execute stage"), "{why}");
    }
}

#[test]
fn a_journal_that_was_cut() {
    let place = finished();
    cut_before(&place.path().join("out"), "\"execution_finished\"");
    let card = neither_right_nor_wrong(&place, "is under way or was cut off in execute: `reprise resume");
    nothing_failed(&card);
    // What has come to its end counts.
    let extraction = &card["headlines"][0];
    assert!(extraction["value"].is_f64(), "{extraction}");
    // Behind its execution a run has checkpoints, and still no verdict.
    let place = finished();
    cut_before(&place.path().join("out"), "\"run_finished\"");
    let card = neither_right_nor_wrong(&place, "has not ended");
    assert_eq!(
        card["headlines"].as_array().unwrap().last().unwrap()["value"],
        1.0
    );
}

#[test]
fn a_journal_that_is_gone() {
    for empty in [true, false] {
        let place = finished();
        let journal = place.path().join("out/journal.jsonl");
        match empty {
            true => std::fs::write(&journal, "").unwrap(),
            false => std::fs::remove_file(&journal).unwrap(),
        }
        neither_right_nor_wrong(&place, "journal is missing or empty");
    }
}

#[test]
fn a_question_that_waits_and_an_answer_that_was_no() {
    let (place, status) = run("ask", &[]);
    assert_eq!(status, 5);
    neither_right_nor_wrong(&place, "waits for a person's answer: `reprise approve");
    let (place, status) = run("deny", &["--model", "scripted:native"]);
    assert_eq!(status, 4);
    let card = neither_right_nor_wrong(&place, "ended by no doing of the agent's (cancelled)");
    nothing_failed(&card);
}

#[test]
fn a_run_that_the_agent_ended_badly_is_wrong() {
    let place = Place::new();
    place.study();
    let useless = json!({"answer": {"json": {"nothing": "of use"}}});
    judge(
        &place,
        "useless.json",
        json!({"extract": {"turns": vec![useless; 20]}}),
    );
    let status = run_in(&place, "auto", &["--model", "scripted:./useless.json"]);
    assert_eq!(status, 4);
    let value = json_of(&place.call(&["score", "out", "--json"]));
    let card = &value["runs"][0];
    assert_eq!(
        (&card["outcome"]["verdict"], &card["outcome"]["right"]),
        (&json!("inconclusive"), &json!(false))
    );
    assert!(card["circumstances"]["unfinished"].is_null());
    let outcome = place.call(&["score", "outcome", "out"]).stdout;
    assert!(outcome.contains("accuracy 0.00 (0/1"), "{outcome}");
}

#[test]
fn a_budget_that_is_spent_ends_no_run() {
    let (place, status) = run("auto", &["--model", "scripted:native", "--max-turns", "design=1"]);
    assert_eq!(status, 6);
    neither_right_nor_wrong(&place, "was stopped in design (limit): `reprise resume");
}

#[test]
fn a_damaged_journal_costs_its_run_alone() {
    let place = finished();
    let (whole, broken) = (place.path().join("out"), place.path().join("broken"));
    crate::support::copy(&whole, &broken);
    let journal = broken.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let changed = first.replacen("slope", "slqpe", 1);
    std::fs::write(&journal, format!("{changed}\n{rest}")).unwrap();
    let outcome = place.call(&["score", "outcome", "broken", "out"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("(1/1"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("broken: ") && outcome.stderr.contains("which is left out"),
        "{}",
        outcome.stderr
    );
}
