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
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--example", "own-track", "--target-dir"])
        .arg(target)
        .args((!cfg!(debug_assertions)).then_some("--release"))
        .current_dir(root());
    // What cargo tells this test of its package would have ring, and all that stands on it, built anew.
    for (name, _) in std::env::vars_os() {
        let told = ["CARGO_PKG_", "CARGO_MANIFEST_"];
        if told.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            build.env_remove(name);
        }
    }
    let built = build.output().unwrap();
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

fn own() -> PathBuf {
    root().join("examples/own-track")
}

/// A task of the example and its recording.
#[derive(Clone, Copy)]
struct Example {
    task: &'static str,
    model: &'static str,
}

/// Its agents act in an environment of their own.
const SUMS: Example = Example {
    task: "task",
    model: "scripted:sums",
};

/// Its agents have a script executed in the library's sandbox.
const MEANS: Example = Example {
    task: "mean-task",
    model: "scripted:means",
};

impl Example {
    fn with_stages(
        self,
        place: &Path,
        stages: &Path,
        further: &[&str],
        variables: &[(&str, &str)],
    ) -> Output {
        let task = own().join(self.task);
        let arguments = [
            "run",
            task.to_str().unwrap(),
            "--stages-dir",
            stages.to_str().unwrap(),
            "--model",
            self.model,
            "--json",
        ];
        call(place, &[&arguments[..], further].concat(), variables)
    }

    fn run(self, place: &Path, out: &str, approve: &str, variables: &[(&str, &str)]) -> Output {
        let further = ["--approve", approve, "--out", out];
        self.with_stages(place, &own().join("stages"), &further, variables)
    }
}

fn run(place: &Path, out: &str, approve: &str, variables: &[(&str, &str)]) -> Output {
    SUMS.run(place, out, approve, variables)
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
    assert!(page.contains("What was done") && page.contains("Attempt at"));
    // It has no plan, and no references of a study.
    for absent in [
        "criterion that was fixed before",
        "Deviations from the plan",
        "Original and replication",
        "Post-registration",
    ] {
        assert!(!page.contains(absent), "{absent}");
    }
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

/// A copy of the example's definitions with one file changed.
fn changed(place: &Path, file: &str, from: &str, to: &str) -> PathBuf {
    let stages = place.join("stages");
    for entry in walkdir::WalkDir::new(own().join("stages")) {
        let entry = entry.unwrap();
        let target = stages.join(entry.path().strip_prefix(own().join("stages")).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
    let file = stages.join(file);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(&file, text.replace(from, to)).unwrap();
    stages
}

#[test]
fn an_environment_or_a_grader_that_nobody_has_is_refused() {
    for (key, from, to, known) in [
        (
            "environment",
            "abacus",
            "slide-rule",
            "executions, shell, kernel, abacus",
        ),
        (
            "grader",
            "exact-sum",
            "eye",
            "preregistered-rule, capsule-answers, notebook-answers, claim-prediction, exact-sum, exact-mean",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        let stages = changed(place.path(), "tracks/sums.toml", from, to);
        let refused = SUMS.with_stages(place.path(), &stages, &["--out", "out"], &[]);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        let said = format!("there is no {key} `{to}`; this program has {known}.");
        assert!(
            text.contains(&said) && text.contains("tracks/sums.toml` line"),
            "{text}"
        );
        assert!(!place.path().join("out").exists());
    }
}

#[test]
fn a_definition_chooses_among_the_graders_of_all_tracks() {
    let place = tempfile::tempdir().unwrap();
    let stages = changed(place.path(), "tracks/means.toml", "exact-mean", "exact-sum");
    let further = ["--approve", "auto", "--out", "out"];
    let refused = MEANS.with_stages(place.path(), &stages, &further, &[]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    // The other grader looks for another number in the task.
    assert!(text.contains("`gold` has no `sum`"), "{text}");
}

#[test]
fn a_track_without_an_environment_of_its_own_executes_in_the_sandbox() {
    let place = tempfile::tempdir().unwrap();
    let whole = json(&MEANS.run(place.path(), "whole", "auto", &[]));
    assert_eq!(whole["grade"]["grader"], "exact-mean", "{whole}");
    assert_eq!(whole["grade"]["parts"][0]["score"], 1.0, "{whole}");
    let journal = std::fs::read_to_string(place.path().join("whole/journal.jsonl")).unwrap();
    let of = |kind: &str| {
        let tag = format!("\"kind\":\"{kind}\"");
        journal.lines().position(|line| line.contains(&tag))
    };
    let (asked, executed) = (of("asked").unwrap(), of("execution_finished").unwrap());
    assert!(asked < executed, "{journal}");
    // Probes read a focal number by a preregistered rule, and there is none.
    assert_eq!((of("probed"), of("probe_finished")), (None, None));
    let read = |out: &str, file: &str| std::fs::read(place.path().join(out).join(file)).unwrap();
    let account: Value = serde_json::from_slice(&read("whole", "artifacts/execution_result.json")).unwrap();
    assert_eq!(account["ok"], true, "{account}");
    assert!(
        account["steps"][1]["stdout"]
            .as_str()
            .unwrap()
            .contains("mean 5.93")
    );
    let replayed = call(place.path(), &["replay", "whole"], &[]);
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(
        text.contains("Nothing differs: 2 tool calls, 1 executions"),
        "{text}"
    );
    let shown = call(place.path(), &["show", "whole"], &[]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        text.contains("score 1.000 (1 of 1 part scored, by exact-mean)"),
        "{text}"
    );
    assert!(call(place.path(), &["report", "whole"], &[]).status.success());
    let page = String::from_utf8(read("whole", "report.html")).unwrap();
    assert!(page.contains("Task of the track means") && page.contains("5.93 is right"));
    assert!(page.contains("python3") || page.contains("work/mean.py"));
}

#[test]
fn a_refused_execution_runs_nothing() {
    let place = tempfile::tempdir().unwrap();
    let denied = json(&MEANS.run(place.path(), "out", "deny", &[]));
    assert_eq!(denied["failed_stage"]["stage"], "measure", "{denied}");
    assert_eq!(denied["failed_stage"]["cause"], "cancelled");
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started"), "{journal}");
}

#[test]
fn its_recordings_are_refreshed_and_answer_by_their_requests() {
    let place = tempfile::tempdir().unwrap();
    let task = place.path().join("task");
    std::fs::create_dir_all(task.join("recordings")).unwrap();
    for file in ["task.toml", "millimetres.txt", "recordings/sums.json"] {
        std::fs::copy(own().join("task").join(file), task.join(file)).unwrap();
    }
    let stages = own().join("stages");
    let stages = ["--stages-dir", stages.to_str().unwrap()];
    let with_stages = |arguments: &[&str]| call(place.path(), &[arguments, &stages].concat(), &[]);
    let outdated = with_stages(&["replay", "refresh", "task", "--check"]);
    assert_eq!(outdated.status.code(), Some(1), "{outdated:?}");
    assert!(with_stages(&["replay", "refresh", "task"]).status.success());
    assert!(
        with_stages(&["replay", "refresh", "task", "--check"])
            .status
            .success()
    );
    // The recording of the track's name is the model of a run that names none.
    let run = with_stages(&["run", "task", "--approve", "auto", "--json", "--out", "out"]);
    assert_eq!(json(&run)["grade"]["parts"][0]["score"], 1.0, "{run:?}");
}
