//! An extraction that is held against the claim.

use std::fs;

use serde_json::{Value, json};

use super::support::Place;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The arguments of a run of the extraction alone.
const RUN: [&str; 12] = [
    "run",
    "slope",
    "--code-mode",
    "native",
    "--approve",
    "auto",
    "--stages",
    "extract",
    "--model",
    "scripted:ratio",
    "--out",
    "out",
];

/// The fixture study, whose model answers with another result `wrong` times
/// before it gives the claim's, and never writes the claim down.
fn study(place: &Place, wrong: usize) {
    let path = place.study().join("recordings/ratio.json");
    let mut recording = json(&fs::read_to_string(&path).unwrap());
    let turns = recording["stages"]["extract"]["turns"].as_array_mut().unwrap();
    let mut right = turns.remove(0);
    right["request"] = Value::Null;
    right["answer"]["json"]["original_study"]["claim"] = json!({"study_type": "Experimental"});
    let mut other = right.clone();
    let results = &mut other["answer"]["json"]["original_study"]["results"]["numerical_results"];
    *results = json!([{"outcome_name": "rain", "value": "7.3", "statistic": "t(2) = 9.1", "p_value": ".2"}]);
    turns.extend(std::iter::repeat_n(other, wrong));
    turns.push(right);
    fs::write(path, serde_json::to_string_pretty(&recording).unwrap()).unwrap();
}

fn reviews(place: &Place, run: &str) -> Vec<Value> {
    let journal = fs::read_to_string(place.path().join(run).join("journal.jsonl")).unwrap();
    let events = journal
        .lines()
        .map(json)
        .filter(|line| line["event"]["kind"] == "answer_reviewed");
    events.map(|line| line["event"].clone()).collect()
}

fn answer(place: &Place, run: &str) -> Value {
    json(&fs::read_to_string(place.path().join(run).join("artifacts/post_registration.json")).unwrap())
}

fn first_result(answer: &Value) -> &Value {
    &answer["original_study"]["results"]["numerical_results"][0]
}

#[test]
fn a_result_that_is_not_the_claims_is_sent_back() {
    let place = Place::new();
    study(&place, 2);
    let called = place.call(&RUN);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("the first result was compared with the claim, and the model is asked"),
        "{}",
        called.stderr
    );
    let told = reviews(&place, "out");
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(
        told.iter()
            .all(|review| review["stage"] == "extract" && !review["remark"].is_null()),
        "{told:#?}"
    );
    let found = answer(&place, "out");
    assert_eq!(first_result(&found)["value"].as_f64(), Some(1.9));
    let claim = &found["original_study"]["claim"];
    assert!(
        claim["statement"]
            .as_str()
            .unwrap()
            .contains("1.9 (SE = 0.2, p = .011, n = 4)"),
        "{claim}"
    );
    assert_eq!(claim["hypotheses"], json!(["Yield rises with dose."]));
    // Neither a death between the two reviews nor a replay changes what was said.
    let events = fs::read_to_string(place.path().join("out/journal.jsonl"))
        .unwrap()
        .lines()
        .count();
    let mut dying = RUN.to_vec();
    dying[11] = "again";
    place.dies_behind(events / 2, &dying);
    let resumed = place.call(&["resume", "again"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!(
        (answer(&place, "again"), reviews(&place, "again").len()),
        (found, 2)
    );
    let replayed = place.call(&["replay", "out"]);
    assert!(
        replayed.stdout.contains("Nothing differs"),
        "{}{}",
        replayed.stdout,
        replayed.stderr
    );
}

#[test]
fn after_two_objections_the_answer_stands_and_says_so() {
    let place = Place::new();
    study(&place, 3);
    let called = place.call(&RUN);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let told = reviews(&place, "out");
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[2]["remark"].is_null(), "{told:#?}");
    assert_eq!(first_result(&answer(&place, "out"))["outcome_name"], "rain");
    let report = place
        .call(&["report", "out", "--format", "json", "--out", "-"])
        .stdout;
    let deviations = json(&report)["stages"][0]["end"]["deviations"].to_string();
    assert!(
        deviations.contains("stands although it was objected to"),
        "{deviations}"
    );
    let replayed = place.call(&["replay", "out"]);
    assert!(
        replayed.stdout.contains("Nothing differs"),
        "{}{}",
        replayed.stdout,
        replayed.stderr
    );
}
