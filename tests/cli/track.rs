//! A track of one's own by the verbs of every other: run, killed, resumed, replayed, shown
//! and reported. The program is `examples/own-track`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program with the track. `cargo test` builds every example, and `cargo test --test cli`
/// none: this builds it in the profile and the folder of the program under test.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let beside = Path::new(env!("CARGO_BIN_EXE_reprise"));
    let target = beside.parent().and_then(Path::parent).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--example", "own-track", "--target-dir"])
        .arg(target)
        .args((!cfg!(debug_assertions)).then_some("--release"))
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    beside.with_file_name("examples").join("own-track")
});

fn call(place: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(&*PROGRAM)
        .args(arguments)
        .current_dir(place)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place)
        .env("DOCKER_HOST", "unix:///nonexistent/docker.sock")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn run(place: &Path, out: &str, approve: &str, variables: &[(&str, &str)]) -> Output {
    let own = root().join("examples/own-track");
    let (task, stages) = (own.join("task"), own.join("stages"));
    let arguments = [
        "run",
        task.to_str().unwrap(),
        "--stages-dir",
        stages.to_str().unwrap(),
    ];
    let further = [
        "--model",
        "scripted:sums",
        "--approve",
        approve,
        "--json",
        "--out",
        out,
    ];
    call(place, &[&arguments[..], &further].concat(), variables)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

#[test]
fn killed_at_any_event_it_comes_to_the_same_grade() {
    let place = tempfile::tempdir().unwrap();
    let whole = json(&run(place.path(), "whole", "auto", &[]));
    assert_eq!(whole["grade"]["parts"][0]["score"], 1.0, "{whole}");
    assert_eq!(whole["grade"]["parts"][1]["score"], 1.0, "{whole}");
    let answer = |out: &str| std::fs::read(place.path().join(out).join("artifacts/answer.json")).unwrap();
    let events = std::fs::read_to_string(place.path().join("whole/journal.jsonl"))
        .unwrap()
        .lines()
        .count();
    assert!(events > 20, "{events}");
    // Behind the first act, in the middle of the acts, between the stages and near the end.
    for after in [6, 9, 12, 17, events - 2] {
        let out = format!("cut-{after}");
        let killed = run(
            place.path(),
            &out,
            "auto",
            &[("REPRISE_DIE_AFTER_EVENT", &after.to_string())],
        );
        assert!(!killed.status.success(), "{after}");
        let resumed = call(place.path(), &["resume", &out, "--json"], &[]);
        assert_eq!(json(&resumed)["grade"], whole["grade"], "{after}");
        assert_eq!(answer(&out), answer("whole"), "{after}");
    }
}

#[test]
fn it_is_replayed_shown_and_reported() {
    let place = tempfile::tempdir().unwrap();
    run(place.path(), "out", "auto", &[]);
    let replayed = call(place.path(), &["replay", "out"], &[]);
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(text.contains("Nothing differs: 10 tool calls"), "{text}");
    let shown = call(place.path(), &["show", "out"], &[]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("score 1.000 (2 of 2 parts scored, by exact-sum)"),
        "{text}"
    );
    let page = std::fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(page.contains("Task of the track sums") && page.contains("41.5 is right"));
    assert!(!page.contains("preregistered criterion"));
    let first: Value = std::fs::read_to_string(place.path().join("out/journal.jsonl"))
        .unwrap()
        .lines()
        .next()
        .map(|line| serde_json::from_str(line).unwrap())
        .unwrap();
    assert!(
        first.to_string().contains("\"environment\":\"abacus\""),
        "{first}"
    );
    // What the grader holds answers against is nowhere in what the agent was shown.
    assert!(!place.path().join("out/workspace/task.toml").exists());
}

#[test]
fn a_refused_session_ends_the_stage_with_nothing_done() {
    let place = tempfile::tempdir().unwrap();
    let denied = json(&run(place.path(), "out", "deny", &[]));
    assert_eq!(denied["failed_stage"]["stage"], "count");
    assert_eq!(denied["failed_stage"]["cause"], "cancelled");
    assert_eq!(denied["grade"]["parts"][0].get("score"), None, "{denied}");
}

#[test]
fn a_program_without_the_track_says_so() {
    let place = tempfile::tempdir().unwrap();
    let task = root().join("examples/own-track/task");
    let refused = Command::new(env!("CARGO_BIN_EXE_reprise"))
        .args(["run", task.to_str().unwrap(), "--model", "scripted:sums"])
        .current_dir(place.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        text.contains("of the track `sums`, and this program knows replication"),
        "{text}"
    );
}
