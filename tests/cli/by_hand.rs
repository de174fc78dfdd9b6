//! Runs with a person in the model's place.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{Called, Place};

const HUMAN: [&str; 10] = [
    "run",
    "slope",
    "--code-mode=native",
    "--no-probe",
    "--model",
    "human",
    "--approve",
    "auto",
    "--out",
    "hand",
];

/// The stages with the artifacts that answer them.
const STAGES: [(&str, &str); 5] = [
    ("extract", "post_registration.json"),
    ("search", "search_results.json"),
    ("design", "replication_info.json"),
    ("execute", "execution_results.json"),
    ("interpret", "interpret_results.json"),
];

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// The form of a stage as the recorded session answered it.
fn filled(place: &Place, artifact: &str) -> String {
    let text = fs::read(place.path().join("out/artifacts").join(artifact)).unwrap();
    let value: Value = serde_json::from_slice(&text).unwrap();
    toml::to_string(&without_nulls(value)).unwrap()
}

fn form(place: &Place, stage: &str) -> std::path::PathBuf {
    place.path().join(format!("hand/by-hand/{stage}.toml"))
}

fn waits(called: &Called, words: &str) {
    assert_eq!(called.status, 5, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains(words), "{words}: {}", called.stdout);
}

/// The scripts of the recorded session, as a person would lay them down.
fn scripts(place: &Place, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::copy(
        place.path().join("slope/input/replication_data/helper.sh"),
        to.join("note.sh"),
    )
    .unwrap();
}

#[test]
fn a_person_carries_a_study_through_forms_to_the_same_verdict() {
    let place = Place::finished();
    waits(&place.call(&HUMAN), "by-hand/extract.toml");
    // As it was written it is not an answer, and it is not written over.
    let empty = fs::read_to_string(form(&place, "extract")).unwrap();
    let called = place.call(&["resume", "hand"]);
    waits(&called, "is to be filled in");
    assert!(called.stdout.contains("- line "), "{}", called.stdout);
    assert_eq!(fs::read_to_string(form(&place, "extract")).unwrap(), empty);
    for (index, (stage, artifact)) in STAGES.into_iter().enumerate() {
        assert!(form(&place, stage).exists(), "{stage}");
        fs::write(form(&place, stage), filled(&place, artifact)).unwrap();
        if stage == "execute" {
            // The recorded plan names a script that is not there: the plan's own form mends it.
            let plan = fs::read_to_string(form(&place, "design")).unwrap();
            fs::write(form(&place, "design"), plan.replace("slop.sh", "slope.sh")).unwrap();
            waits(&place.call(&["resume", "hand"]), "The analysis ran");
        }
        let called = place.call(&["resume", "hand"]);
        match STAGES.get(index + 1) {
            Some((next, _)) => waits(&called, &format!("by-hand/{next}.toml")),
            None => {
                assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
                assert!(called.stdout.starts_with("criterion met"), "{}", called.stdout);
            }
        }
    }
    let said = fs::read_to_string(place.path().join("hand/by-hand/execute.said-1.txt")).unwrap();
    assert!(said.contains("slope"), "{said}");
    let journal = fs::read_to_string(place.path().join("hand/journal.jsonl")).unwrap();
    assert!(journal.contains("\"author\":\"unnamed\""));
    let called = place.call(&["replay", "hand"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let called = place.call(&["compare", "out", "hand"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    // No judge marks a person's prose: this one would not even open.
    let called = place.call(&["score", "hand", "--judge", "recorded:nowhere.json"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(called.stderr.contains("no judge was asked"), "{}", called.stderr);
}

#[test]
fn a_form_survives_a_kill_and_comes_back_with_the_line_that_does_not_fit() {
    let place = Place::finished();
    place.call(&HUMAN);
    let answer = filled(&place, "post_registration.json");
    fs::write(
        form(&place, "extract"),
        answer.replace("numerical_results", "numerical_result"),
    )
    .unwrap();
    let called = place.call(&["resume", "hand"]);
    waits(&called, "numerical_results");
    fs::write(form(&place, "extract"), &answer).unwrap();
    // Dies right behind the answer, and behind each event after it.
    for event in 3..6 {
        let mut command = place.command(&["resume", "hand"]);
        command
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string())
            .output()
            .unwrap();
        assert_eq!(fs::read_to_string(form(&place, "extract")).unwrap(), answer);
    }
    waits(&place.call(&["resume", "hand"]), "by-hand/search.toml");
}

#[test]
fn a_plan_and_scripts_of_ones_own_are_executed_without_any_model() {
    let place = Place::finished();
    scripts(&place, &place.path().join("mine"));
    let called = place.call(&[
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--plan",
        "out/artifacts/replication_info.json",
        "--code",
        "mine",
        "--approve",
        "auto",
        "--out",
        "hand",
    ]);
    waits(&called, "The analysis ran");
    assert!(place.path().join("hand/workspace/work/note.sh").exists());
    // What is mended is run again, and the form is not asked for before.
    fs::write(place.path().join("hand/by-hand/code/note.sh"), "# mended\n").unwrap();
    let plan = place.path().join("hand/by-hand/design.json");
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, text.replace("slop.sh", "slope.sh")).unwrap();
    waits(&place.call(&["resume", "hand"]), "The analysis ran");
    fs::write(form(&place, "execute"), filled(&place, "execution_results.json")).unwrap();
    waits(&place.call(&["resume", "hand"]), "by-hand/interpret.toml");
    fs::write(
        form(&place, "interpret"),
        filled(&place, "interpret_results.json"),
    )
    .unwrap();
    let called = place.call(&["resume", "hand"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.starts_with("criterion met"), "{}", called.stdout);
}

#[test]
fn what_cannot_be_done_by_hand_is_refused_before_there_is_a_run() {
    let place = Place::finished();
    fs::write(
        place.path().join("plan.toml"),
        "[replication_study]\nhypothesis = \"x\"\n",
    )
    .unwrap();
    let mut complaints = String::new();
    for arguments in [
        &["--plan", "plan.toml"][..],
        &["--plan", "nowhere.json"],
        &[
            "--plan",
            "out/artifacts/replication_info.json",
            "--model",
            "openai/gpt-5",
        ],
        &["--code", "nowhere"],
        &["--model", "human", "--effort", "high"],
        &["--model", "human", "--stages", "interpret..interpret"],
        &["--model", "human", "--stages", "execute.."],
    ] {
        let arguments = [&["run", "slope", "--out", "hand"], arguments].concat();
        complaints += &place.complaint(&arguments);
        assert!(!place.path().join("hand").exists());
    }
    insta::assert_snapshot!("refused_by_hand", place.plain(&complaints));
}

/// Runs the recorded session of a study whose rule has been changed.
fn with_another_rule(place: &Place) -> Called {
    let study = place.study();
    let manifest = study.join("study.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        text + "\n[criterion]\nrule = \"significance_and_direction\"\nalpha = 0.01\n",
    )
    .unwrap();
    place.call(&super::support::RUN)
}

#[test]
fn where_a_recording_has_no_answer_a_person_takes_its_place() {
    let place = Place::new();
    let called = with_another_rule(&place);
    assert_eq!(called.status, 2, "{}{}", called.stdout, called.stderr);
    assert!(
        called
            .stderr
            .contains("out --model human` goes on from there by hand"),
        "{}",
        called.stderr
    );
    let called = place.call(&["resume", "out", "--model", "human"]);
    waits(&called, "by-hand/");
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(journal.contains("\"by_hand\":true"));
    let shown = place.call(&["show", "out"]).stdout;
    assert!(shown.contains("recorded:native, then by hand"), "{shown}");
    // It stays so without being said again, and is noted once.
    waits(&place.call(&["resume", "out"]), "by-hand/");
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"by_hand\":true").count(), 1);
    let called = place.call(&["resume", "out", "--model", "openai/gpt-5"]);
    assert_eq!(called.status, 2, "{}", called.stderr);
}

#[test]
fn a_recording_is_not_given_words_that_it_cannot_react_to() {
    let place = Place::new();
    place.study();
    let mut run = super::support::RUN;
    run[5] = "ask";
    assert_eq!(place.call(&run).status, 5);
    let called = place.call(&["approve", "out", "--deny", "--reason", "take the other file"]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("goes on as it was written") && called.stderr.contains("--model human"),
        "{}",
        called.stderr
    );
    // By hand they are heard.
    assert_eq!(place.call(&["resume", "out", "--model", "human"]).status, 5);
    let called = place.call(&["approve", "out", "--deny", "--reason", "take the other file"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    // The recorded call was refused, and the person's next step waits for an approval of its own.
    assert_eq!(place.call(&["resume", "out"]).status, 5);
    let journal = fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(
        journal.contains("take the other file") && journal.contains("\"author\":"),
        "nobody went on"
    );
}
