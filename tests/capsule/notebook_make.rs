//! Tasks that are made of repositories of one's own, by runs of their solution.

use std::fs;

use serde_json::{Value, json};

use crate::notebook_place::{NotebookPlace, turn};
use crate::sandboxes::Where;

/// The call of `notebook make` over a bundled repository, and what it printed.
fn made(place: &NotebookPlace, out: &str, further: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = place.command(&["notebook", "make", "repositories/degree-days", "--out", out]);
    command.args([
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--network",
        "none",
        "--json",
    ]);
    let output = command.args(further).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), printed, stderr)
}

const TASK: [&str; 4] = [
    "--task",
    "Train the model for 100 epochs with its example settings.",
    "--report",
    "Report the test error as a JSON object with the key `test_error`.",
];
const CELLS: [&str; 4] = [
    "--cell",
    "%cd degree-days\n!cp settings.example.json settings.json",
    "--cell",
    "!python3 train.py --epochs 100",
];

#[test]
fn a_task_is_made_by_three_runs_of_its_solution() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let value = [
        "--value",
        "test_error=test error ([0-9.]+)",
        "--entry-point",
        "train.py",
    ];
    let further = [&TASK[..], &CELLS[..], &value[..]].concat();
    let (status, printed, stderr) = made(&place, "own", &further);
    if stderr.contains("A notebook needs ipykernel") {
        crate::need::need_that(false, "no kernel can be installed here");
        return;
    }
    assert_eq!(status, Some(0), "{stderr}");
    let runs = printed["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3, "{printed}");
    assert!(runs.iter().all(|run| *run == runs[0]), "{printed}");
    assert_eq!(printed["tolerance"], Value::Null, "{printed}");
    assert_eq!(
        printed["landmarks"],
        json!([r"test error [0-9]+\.[0-9]+"]),
        "{printed}"
    );
    // It takes less than ten seconds, so that nobody could be scored for it.
    assert_eq!(printed["entry_point"], Value::Null, "{printed}");
    assert!(
        printed["notes"]
            .to_string()
            .contains("train.py is left out of the task"),
        "{printed}"
    );
    let record = fs::read_to_string(place.path().join("own/tasks.jsonl")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let answer: Value = serde_json::from_str(record["answer"].as_str().unwrap()).unwrap();
    assert_eq!(answer["test_error"], runs[0][0]["value"], "{record}");
    let checked = place
        .command(&["notebook", "check", "own/tasks.jsonl"])
        .output()
        .unwrap();
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stdout)
    );
    // The folder is whole: its own solution attempts it without a model.
    let mut command = place.command(&[
        "notebook",
        "run",
        "own/tasks.jsonl",
        "--out",
        "again",
        "--approve",
        "auto",
    ]);
    let output = command
        .args(["--sandbox", "local", "--network", "none"])
        .output()
        .unwrap();
    let attempt = place.attempt("again", &output).unwrap();
    assert_eq!(
        crate::notebook_place::score(&attempt, "answer"),
        1.0,
        "{}",
        attempt.stdout
    );
    assert_eq!(
        crate::notebook_place::score(&attempt, "landmarks"),
        1.0,
        "{}",
        attempt.stdout
    );
}

/// Nothing is accepted that its runs do not bear out.
#[test]
fn what_runs_do_not_bear_out_is_refused() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let two = ["--times", "2"];
    let random = [
        "--cell",
        "import random\nprint('loss', 10 ** random.SystemRandom().uniform(0, 12))",
    ];
    let (status, _, stderr) = made(
        &place,
        "a",
        &[&TASK[..], &random[..], &["--value", "loss=loss (.+)"], &two].concat(),
    );
    if stderr.contains("A notebook needs ipykernel") {
        return;
    }
    assert_eq!(status, Some(4), "{stderr}");
    assert!(stderr.contains("varies too much from run to run"), "{stderr}");
    let failing = [
        "--cell",
        "print('on')",
        "--cell",
        "!cd degree-days && python3 train.py",
        "--value",
        "a=(x)",
    ];
    let (status, _, stderr) = made(&place, "b", &[&TASK[..], &failing[..], &two].concat());
    assert_eq!(status, Some(4), "{stderr}");
    assert!(
        stderr.contains("run 1: cell 2 of the solution did not come to a good end (status 1)"),
        "{stderr}"
    );
    let silent = [&TASK[..], &CELLS[..], &["--value", "f1=f1 ([0-9.]+)"], &two].concat();
    let (status, _, stderr) = made(&place, "c", &silent);
    assert_eq!(status, Some(4), "{stderr}");
    assert!(
        stderr.contains("run 1 printed nothing that `f1` is found in"),
        "{stderr}"
    );
    let landmark = ["--value", "e=test error ([0-9.]+)", "--landmark", "accuracy"];
    let (status, _, stderr) = made(
        &place,
        "d",
        &[&TASK[..], &CELLS[..], &landmark[..], &two].concat(),
    );
    assert_eq!(status, Some(4), "{stderr}");
    assert!(
        stderr.contains("run 1 is not held to the task's own gold: the landmarks: 0.000 of them"),
        "{stderr}"
    );
    let (status, _, stderr) = made(
        &place,
        "recordings",
        &[&TASK[..], &CELLS[..], &["--value", "a=(x)"]].concat(),
    );
    assert_eq!(status, Some(2));
    assert!(stderr.contains("recordings is there already"), "{stderr}");
}

/// A model proposes the task in a run of its own, and its cells are held to runs as anybody's.
#[test]
fn a_model_proposes_and_runs_decide() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let proposal = json!({
        "task": "Train the model for 100 epochs.", "report": "Report {\"test_error\": NUMBER}.", "instructions": "",
        "cells": [CELLS[1], CELLS[3]], "values": {"test_error": "test error ([0-9.]+)"},
        "landmarks": ["epoch 100: training error"], "entry_point": null,
    });
    let look = turn("execute", &json!({"cell": "!cat degree-days/README.md"}));
    place.record(
        "proposes",
        &[look.clone(), turn("submit", &json!({"answer": proposal}))],
    );
    let script = place
        .path()
        .join("recordings/proposes.json")
        .display()
        .to_string();
    let model = format!("scripted:{script}");
    let (status, printed, stderr) = made(&place, "auto", &["--model", &model, "--times", "2"]);
    if stderr.contains("A notebook needs ipykernel") {
        return;
    }
    assert_eq!(status, Some(0), "{stderr}");
    assert_eq!(
        printed["landmarks"],
        json!(["epoch 100: training error"]),
        "{printed}"
    );
    assert!(place.path().join("auto/draft/run/journal.jsonl").is_file());
    place.record(
        "half",
        &[turn("submit", &json!({"answer": {"task": "Train it."}}))],
    );
    let script = place.path().join("recordings/half.json").display().to_string();
    let model = format!("scripted:{script}");
    let (status, _, stderr) = made(&place, "half", &["--model", &model, "--times", "2"]);
    assert_eq!(status, Some(4), "{stderr}");
    assert!(
        stderr.contains("cannot be used: it is not in the form that was asked for"),
        "{stderr}"
    );
}
