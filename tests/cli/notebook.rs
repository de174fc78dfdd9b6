//! Notebook tasks: lists, checks and grades.

use std::fs;

use serde_json::{Value, json};

use super::support::Place;

/// Gold that nothing but grading may come near.
const CANARY: &str = "canary-7c1d";

fn record(id: &str) -> Value {
    json!({
        "task_id": id, "github_repo": "https://github.com/someone/slopes", "git_commit": "a".repeat(40),
        "query": format!("Train {id} and report the loss."),
        "query_components": {"e2e_task": "Train", "scenario_task": "", "report": "Report.", "instructions": "None"},
        "pre_execute_cells": [], "solution_dependencies": CANARY, "solution": CANARY,
        "answer": json!({"loss": 0.5, "note": CANARY}).to_string(),
        "landmarks": ["loss: 0\\.5", CANARY], "entrypoint": format!("{CANARY}/train.py"),
    })
}

fn tasks(place: &Place) {
    let mut masked = record("slopes_cpu");
    masked["pre_execute_cells"] = json!([json!({"type": "execute", "content": "!git clone x"}).to_string()]);
    let mut unanswered = record("slopes_data,cpu");
    unanswered["pre_execute_cells"] = masked["pre_execute_cells"].clone();
    for gold in ["answer", "landmarks", "entrypoint"] {
        unanswered.as_object_mut().unwrap().remove(gold);
    }
    let lines: Vec<String> = [record("slopes"), masked, unanswered]
        .iter()
        .map(Value::to_string)
        .collect();
    fs::write(place.path().join("tasks.jsonl"), lines.join("\n")).unwrap();
}

fn write(place: &Place, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn tasks_are_listed_and_checked_without_their_gold() {
    let place = Place::new();
    tasks(&place);
    let called = place.call(&["notebook", "list", "tasks.jsonl"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("notebook_list", called.stdout);
    let json = place.call(&["notebook", "list", "tasks.jsonl", "--json"]);
    let value: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["tasks"][1]["category"], "cpu");
    assert_eq!(value["tasks"][0]["landmarks"], 2);
    let check = place.call(&["notebook", "check", "tasks.jsonl"]);
    assert_eq!(check.status, 0, "{}{}", check.stdout, check.stderr);

    let mut bad = record("bad");
    bad["landmarks"] = json!([format!("{CANARY}("), format!("{CANARY}\\N{{DOT}}"), "ok"]);
    bad["answer"] = json!("{}");
    bad["entrypoint"] = json!(format!("{CANARY}.R"));
    bad["pre_execute_cells"] = json!(["{"]);
    bad["extra"] = json!(CANARY);
    write(&place, "bad.jsonl", &bad.to_string());
    let checked = place.call(&["notebook", "check", "bad.jsonl", "tasks.jsonl"]);
    assert_eq!(checked.status, 1, "{}", checked.stderr);
    insta::assert_snapshot!("notebook_check", checked.stdout);
    let as_json = place.call(&["notebook", "check", "bad.jsonl", "--json"]);
    let value: Value = serde_json::from_str(&as_json.stdout).unwrap();
    assert_eq!(
        (value["wrong"].as_u64(), value["ok"].as_bool()),
        (Some(5), Some(false))
    );

    write(
        &place,
        "broken.jsonl",
        &format!(
            "{}\n{{\"task_id\": \"x\", \"query\": [\"{CANARY}\"]}}",
            record("a")
        ),
    );
    let broken = place.call(&["notebook", "list", "broken.jsonl"]);
    assert_eq!(broken.status, 2);
    assert!(
        broken
            .stderr
            .contains("broken.jsonl: record 2 (x): its `query` is no text"),
        "{}",
        broken.stderr
    );
    for called in [called, json, check, checked, as_json, broken] {
        assert!(!called.stdout.contains(CANARY) && !called.stderr.contains(CANARY));
    }
}

fn step(action: &str, content: Value, observation: &str, seconds: f64) -> Value {
    json!({"by": "agent", "action": action, "content": content, "observation": observation, "seconds": seconds})
}

fn history(task: &str, submission: &Value) -> String {
    json!({"format": "reprise-notebook-history/1", "task": task, "steps": [
        step("execute", json!({"text": "!python pretrain.py"}), "loss: 0.5\n", 12.0),
        step("submit", json!({"json": submission.to_string()}), "", 0.0),
    ]})
    .to_string()
}

#[test]
fn attempts_of_every_kind_are_graded_and_the_rest_is_named() {
    let place = Place::new();
    tasks(&place);
    write(
        &place,
        "runs/one/artifacts/history.json",
        &history("slopes", &json!({"loss": 0.5})),
    );
    write(
        &place,
        "runs/slopes_cpu/history.json",
        &json!({"query": "q", "history": [
            {"thought": "", "action": {"type": "execute", "content": "!python train.py"}, "observation": "loss: 0.5"},
            {"thought": "", "action": {"type": "submit", "content": {"loss": 0.7}}, "observation": ""},
        ]})
        .to_string(),
    );
    write(
        &place,
        "runs/slopes_data,cpu7/metadata.json",
        &json!({"task": {"task_id": "slopes_data,cpu"}}).to_string(),
    );
    write(
        &place,
        "runs/slopes_data,cpu7/history.json",
        &json!({"history": [
        {"action": {"type": "execute", "content": "1"}, "observation": "1"}]})
        .to_string(),
    );
    write(
        &place,
        "runs/unknown/history.ipynb",
        &json!({"cells": []}).to_string(),
    );
    write(&place, "broken.json", "{");
    let grade = [
        "notebook",
        "grade",
        "runs",
        "broken.json",
        "nowhere",
        "--tasks",
        "tasks.jsonl",
    ];
    let called = place.call(&grade);
    assert_eq!(called.status, 2, "{}", called.stderr);
    insta::assert_snapshot!("notebook_grade", called.stdout);
    let all = [&grade[..], &["--mode", "gold", "--mode", "strict", "--json"]].concat();
    let value: Value = serde_json::from_str(&place.call(&all).stdout).unwrap();
    assert_eq!(value["format"], "reprise-notebook-grades/1");
    assert_eq!(value["ungraded"].as_array().unwrap().len(), 3);
    let gold = &value["grades"][0];
    assert_eq!(
        (&gold["mode"], &gold["output_match"]["value"]),
        (&json!("gold"), &json!(0.5))
    );
    assert_eq!(gold["changed"][0]["published"]["value"], 1.0);
    let means = &value["means"][0]["sets"];
    let masked = means
        .as_array()
        .unwrap()
        .iter()
        .find(|set| set["set"] == "masked")
        .unwrap();
    assert_eq!(
        (&masked["attempts"], &masked["output_match"]["n"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(masked["output_match"]["unscored"], json!({"no_answer": 1}));
    assert_eq!(
        masked["entry_point"]["unscored"],
        json!({"no_entry_point": 1, "no_times": 1})
    );
}

#[test]
fn a_relative_tolerance_is_of_the_gold_mode_and_a_task_can_be_named() {
    let place = Place::new();
    tasks(&place);
    write(
        &place,
        "one.json",
        &history("slopes", &json!({"loss": 0.52, "note": CANARY})),
    );
    let call = |more: &[&str]| {
        let grade = [
            "notebook",
            "grade",
            "one.json",
            "--tasks",
            "tasks.jsonl",
            "--json",
        ];
        place.call(&[&grade[..], more].concat())
    };
    let score = |more: &[&str]| {
        let value: Value = serde_json::from_str(&call(more).stdout).unwrap();
        value["grades"][0]["output_match"]["value"].clone()
    };
    assert_eq!(score(&["--mode", "gold"]), json!(0.5));
    assert_eq!(score(&["--mode", "gold", "--relative", "0.05"]), json!(1.0));
    assert_eq!(score(&["--task", "slopes_cpu"]), json!(0.5));
    let refused = call(&["--relative", "0.05"]);
    assert!(
        refused.status == 2 && refused.stderr.contains("--mode gold"),
        "{}",
        refused.stderr
    );
    assert_eq!(call(&["--mode", "gold", "--relative", "-1"]).status, 2);
    assert_eq!(call(&["--task", "nothing"]).status, 2);
    assert_eq!(call(&["--mode", "other"]).status, 2);
}

#[test]
fn a_history_is_exported_and_nothing_is_overwritten() {
    let place = Place::new();
    write(
        &place,
        "runs/slopes/history.json",
        &history("slopes", &json!({"loss": 0.5})),
    );
    let export = ["notebook", "export", "runs/slopes", "--out", "slopes.ipynb"];
    let called = place.call(&export);
    assert_eq!(
        (called.status, called.stdout.as_str()),
        (0, "slopes.ipynb: 2 steps\n"),
        "{}",
        called.stderr
    );
    let text = fs::read_to_string(place.path().join("slopes.ipynb")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&value["nbformat"], &value["nbformat_minor"]),
        (&json!(4), &json!(5))
    );
    assert_eq!(value["cells"][1]["source"], "!python pretrain.py");
    assert_eq!(value["cells"][1]["outputs"][0]["text"], "loss: 0.5\n");
    let again = place.call(&export);
    assert!(
        again.status == 2 && again.stderr.contains("slopes.ipynb"),
        "{}",
        again.stderr
    );
    write(&place, "runs/other/history.json", &history("slopes", &json!(1)));
    let several = place.call(&["notebook", "export", "runs", "--out", "x.ipynb"]);
    assert!(
        several.status == 2 && several.stderr.contains("several histories"),
        "{}",
        several.stderr
    );
    let none = place.call(&["notebook", "export", "nowhere", "--out", "x.ipynb"]);
    assert!(
        none.status == 2 && none.stderr.contains("nowhere"),
        "{}",
        none.stderr
    );
}
