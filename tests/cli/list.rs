//! Runs of a folder, listed, shown, paid for and answered together.

use std::fs;

use serde_json::Value;

use super::support::{Place, RUN};

/// A folder with a finished run, one that waits for an answer, and one that has not begun.
fn three() -> Place {
    let place = Place::new();
    place.study();
    let run = |approve: &str, out: &str| {
        let mut run = RUN;
        run[5] = approve;
        run[7] = out;
        place.call(&run)
    };
    assert_eq!(run("auto", "runs/done").status, 0);
    assert_eq!(run("ask", "runs/batch/waits").status, 5);
    let lone = place.path().join("runs/lone");
    fs::create_dir_all(&lone).unwrap();
    fs::copy(place.path().join("runs/done/run.json"), lone.join("run.json")).unwrap();
    place
}

fn row<'a>(printed: &'a str, name: &str) -> &'a str {
    let found = printed.lines().find(|line| line.starts_with(name));
    found.unwrap_or_else(|| panic!("{name} is not in:\n{printed}"))
}

#[test]
fn every_run_of_a_folder_has_a_row() {
    let place = three();
    let called = place.call(&["list"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let done = row(&called.stdout, "runs/done");
    for part in ["slope", "native", "recorded:native", "finished", "criterion met"] {
        assert!(done.contains(part), "{part}: {done}");
    }
    assert!(row(&called.stdout, "runs/batch/waits").contains("awaiting approval"));
    assert!(row(&called.stdout, "runs/lone").contains("not begun"));
    assert!(
        called.stdout.contains("3 runs\n1 run waits for an answer"),
        "{}",
        called.stdout
    );
    // The same of a folder that is shown.
    assert_eq!(place.call(&["show", "runs"]).stdout, called.stdout);
    let listed: Value = serde_json::from_str(&place.call(&["list", "runs", "--json"]).stdout).unwrap();
    let standing: Vec<&str> = (listed["runs"].as_array().unwrap().iter())
        .map(|run| run["standing"].as_str().unwrap())
        .collect();
    assert_eq!(standing, ["awaiting approval", "finished", "not begun"]);
    assert_eq!(listed["runs"][1]["verdict"], "met");
}

#[test]
fn a_run_that_cannot_be_read_is_named_and_hides_no_other() {
    let place = three();
    let journal = place.path().join("runs/done/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("slope", "slop!", 1)).unwrap();
    let called = place.call(&["list"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let told = row(&called.stdout, "unreadable runs/done: ");
    assert!(told.contains("journal.jsonl"), "{told}");
    row(&called.stdout, "runs/batch/waits");
    let called = place.call(&["list", "nowhere"]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("nowhere is not a folder"),
        "{}",
        called.stderr
    );
}

#[test]
fn costs_of_several_runs_have_one_row_each() {
    let place = three();
    let called = place.call(&["show", "cost", "runs/done", "runs/batch"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    for name in ["runs/done ", "runs/batch/waits ", "2 runs "] {
        let row = called
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        assert!(row.is_some(), "{name}: {}", called.stdout);
    }
    assert!(!called.stdout.contains("extract"), "{}", called.stdout);
    let staged = place.call(&["show", "cost", "runs/done", "runs/batch", "--stages"]);
    assert!(staged.stdout.contains("extract"), "{}", staged.stdout);
}

#[test]
fn all_runs_of_a_folder_are_answered_at_once() {
    let place = three();
    let called = place.call(&["approve", "runs", "a1"]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("name the run"), "{}", called.stderr);
    let called = place.call(&["approve", "runs"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains("runs/batch/waits\n") && called.stdout.contains("allowed: "),
        "{}",
        called.stdout
    );
    let called = place.call(&["approve", "runs"]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("holds no run that waits"),
        "{}",
        called.stderr
    );
}
