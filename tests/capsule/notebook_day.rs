//! An attempt at a notebook task in the packages of a day.

use std::fs;

use serde_json::Value;

use crate::need::need_that;
use crate::notebook_place::{EXPERT, NotebookPlace, turn};
use crate::sandboxes::Where;

/// A day on which the kernel's own packages were there, and a package's version of that day.
const DAY: &str = "2024-09-30";
const VERSION: &str = "2.0.1";

#[test]
fn a_kernel_has_the_packages_of_its_day_and_is_replayed_without_the_index() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let print = "from importlib.metadata import version\nprint('tomli', version('tomli'))";
    place.record(
        "day",
        &[
            turn("execute", &serde_json::json!({ "cell": print })),
            turn("submit", &serde_json::json!({ "answer": {} })),
        ],
    );
    let mut command = place.run(
        EXPERT,
        Where::Local,
        &[
            "--as-of",
            DAY,
            "--package",
            "tomli",
            "--model",
            "scripted:day",
            "--out",
            "day",
        ],
    );
    // The certificates of the index as the operator names them.
    if let Some(bundle) = std::env::var_os("PIP_CERT") {
        command.env("PIP_CERT", bundle);
    }
    let output = command.output().unwrap();
    let is_down = output.status.code() == Some(7);
    let Some(()) = need_that(!is_down, "no index with dates is in reach") else {
        return;
    };
    let Some(attempt) = place.attempt("day", &output) else {
        return;
    };
    let made = attempt.events("lock_made");
    assert_eq!(made.len(), 1, "{}", attempt.journal());
    let built = attempt.events("built").pop().unwrap()["result"]["ready"]["versions"].take();
    assert_eq!(built["tomli"], VERSION, "{built}");
    assert_eq!(built["ipykernel"], "6.29.5", "{built}");
    assert_eq!(built["files"], "held to the lock's SHA-256 digests", "{built}");
    assert!(
        attempt.observations()[0].contains(&format!("tomli {VERSION}")),
        "{:?}",
        attempt.observations()
    );
    let reported = place
        .command(&["report", "day", "--format", "md"])
        .output()
        .unwrap();
    assert!(reported.status.success());
    let report = fs::read_to_string(place.path().join("day/report.md")).unwrap();
    assert!(report.contains(&format!("as of {DAY}")), "{report}");
    // Nothing answers there.
    let replayed = place
        .command(&["replay", "day", "--out", "again"])
        .env("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        .output()
        .unwrap();
    assert!(
        replayed.status.success(),
        "{}",
        String::from_utf8_lossy(&replayed.stderr)
    );
    let journal = fs::read_to_string(place.path().join("again/journal.jsonl")).unwrap();
    let locks: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take())
        .filter(|event| event["kind"] == "lock_made")
        .collect();
    assert_eq!(locks.len(), 1);
    assert_eq!(locks[0]["wish"], made[0]["wish"]);
}
