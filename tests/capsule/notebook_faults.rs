//! Budgets that end an attempt at a notebook task, and what goes wrong in one.

use std::fs;

use serde_json::{Value, json};

use crate::attempt::Attempt;
use crate::model::Model;
use crate::notebook_place::{EXPERT, MASKED, NotebookPlace, recorded_turns, recording, score, turn};
use crate::sandboxes::Where;

/// Gold that nothing but grading may come near.
const CANARY: &str = "canary-4f1e";

fn ended(attempt: &Attempt) -> (String, String) {
    let end = attempt.events("stage_ended").pop().unwrap();
    let text = |key: &str| end[key].as_str().unwrap_or_default().to_owned();
    (text("cause"), text("detail"))
}

/// An attempt whose stage fails, which is a status of its own.
fn failing(place: &NotebookPlace, task: &str, further: &[&str]) -> Option<Attempt> {
    let output = place
        .run(task, Where::Local, &[further, &["--out", "out"]].concat())
        .env("REPRISE_MODEL_KEY", "sk-test")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if stderr.contains("A notebook needs ipykernel") {
        return place.attempt("out", &output);
    }
    assert!(!output.status.success(), "{stderr}");
    Some(Attempt {
        run: place.path().join("out"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr,
    })
}

/// Cells that the task has executed beforehand expire, are waited for once more, are interrupted by
/// the next one, and spend the budget before the model is asked anything.
#[test]
fn cells_beforehand_spend_the_budget() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let cells = [
        json!({"type": "execute", "content": "import time\nprint('begun')\ntime.sleep(60)"}),
        json!({"type": "execute", "content": "print('next')"}),
        json!({"type": "edit", "content": "no-such-file\n<<<BEFORE_EDIT>>>\na\n<<<AFTER_EDIT>>>\nb"}),
    ];
    place.add_task(
        "slow_data",
        &cells,
        &json!({"answer": {"a": 1}, "landmarks": ["begun"]}),
    );
    place.record("none", &[turn("submit", &json!({"answer": {"a": 1}}))]);
    let budgets = [
        "--model",
        "scripted:none",
        "--wait",
        "2",
        "--environment-seconds",
        "1",
    ];
    let Some(attempt) = failing(&place, "slow_data", &budgets) else {
        return;
    };
    let (cause, detail) = ended(&attempt);
    assert_eq!(cause, "timeout", "{detail}");
    assert!(
        detail.contains("seconds of cells are used, and 1 are allowed"),
        "{detail}"
    );
    assert!(
        attempt.events("model_answered").is_empty(),
        "no call was to be made"
    );
    let acted = attempt.events("acted_beforehand");
    let seen: Vec<String> = acted
        .iter()
        .map(|act| act["observation"]["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(acted.len(), 4, "{seen:?}");
    for waited in &seen[..2] {
        assert!(
            waited.contains("[The cell still runs after 2 seconds."),
            "{seen:?}"
        );
    }
    assert_eq!(
        seen[..2].concat().matches("begun").count(),
        1,
        "what was told once is not told again: {seen:?}"
    );
    assert_eq!(
        seen[2],
        "[The cell before still ran, and was interrupted first.]\nnext\n"
    );
    assert!(
        seen[3].contains("`no-such-file` cannot be read: No such file or directory"),
        "{seen:?}"
    );
    // It is graded all the same: the landmark was printed, and nothing was submitted.
    assert_eq!(
        (score(&attempt, "answer"), score(&attempt, "landmarks")),
        (json!(0.0), json!(1.0))
    );
    let replay = place.command(&["show", "out"]).output().unwrap();
    assert!(String::from_utf8_lossy(&replay.stdout).contains("timeout"));
}

#[test]
fn prompt_tokens_end_an_attempt_before_the_next_call() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    // Each call takes 100 prompt tokens.
    let model = Model::start(&recording(&recorded_turns(EXPERT)));
    let name = model.name();
    let budgets = [
        "--model",
        name.as_str(),
        "--allow-unpriced",
        "--prompt-tokens",
        "150",
    ];
    let Some(attempt) = failing(&place, EXPERT, &budgets) else {
        return;
    };
    let (cause, detail) = ended(&attempt);
    assert_eq!(
        (cause.as_str(), detail.as_str()),
        ("limit", "200 prompt tokens are used, and 150 are allowed")
    );
    assert_eq!(model.answered(), [0, 1]);
}

/// A kernel that dies, a cell that prints much, and a canary in the gold.
#[test]
fn what_goes_wrong_in_the_kernel_is_told_and_nothing_is_lost() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let gold = json!({"answer": {"test_error": 0.5, "note": CANARY}, "landmarks": [CANARY, "y{100}"]});
    place.add_task("faults", &[], &gold);
    let execute = |cell: &str| turn("execute", &json!({"cell": cell}));
    place.record(
        "faults",
        &[
            execute("x = 1\nprint('first')"),
            execute("import os\nos._exit(3)"),
            execute("print('x' in dir())\nprint('y' * 2_000_000)"),
            execute("!ls degree-days"),
            turn("continue_wait", &json!({})),
            turn("submit", &json!({"answer": {"test_error": 0.5}})),
        ],
    );
    let options = ["--model", "scripted:faults", "--iterations", "6", "--out", "out"];
    let output = place.run("faults", Where::Local, &options).output().unwrap();
    let Some(attempt) = place.attempt("out", &output) else {
        return;
    };
    let seen = attempt.observations();
    assert!(
        seen[1].contains("[The kernel ended under the cell, with the status 3."),
        "{}",
        seen[1]
    );
    assert!(
        seen[2].starts_with("[The first ")
            && seen[2].contains("the whole is in `logs/kernel/3.out`")
            && seen[2].len() < 50_400,
        "{}",
        &seen[2][..200]
    );
    let whole = fs::read_to_string(attempt.run.join("workspace/logs/kernel/3.out")).unwrap();
    assert!(
        whole.starts_with("False\n") && whole.len() > 2_000_000,
        "another kernel, without state"
    );
    assert!(seen[3].contains("train.py"), "{}", seen[3]);
    assert!(seen[4].contains("No cell is under way"), "{}", seen[4]);
    // What was cut for later turns is kept.
    let kept = fs::read_to_string(attempt.run.join("workspace/logs/results/solve-3-1.txt")).unwrap();
    assert_eq!(kept, seen[2]);
    assert_eq!(
        (score(&attempt, "answer"), score(&attempt, "landmarks")),
        (json!(0.5), json!(0.5))
    );
    for entry in walkdir::WalkDir::new(&attempt.run) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
            assert!(!text.contains(CANARY), "gold in {}", entry.path().display());
        }
    }
}

/// Nothing is executed where nobody allows it, and the copy says of which commit it is.
#[test]
fn a_refused_session_executes_nothing() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let options = [
        "notebook",
        "run",
        "tasks.jsonl",
        "--task",
        MASKED,
        "--approve",
        "deny",
        "--sandbox",
        "local",
    ];
    let output = place.command(&options).args(["--out", "out"]).output().unwrap();
    assert!(!output.status.success());
    let attempt = Attempt {
        run: place.path().join("out"),
        stdout: String::new(),
        stderr: String::new(),
    };
    assert_eq!(ended(&attempt).0, "cancelled");
    assert!(attempt.events("acted_beforehand").is_empty() && attempt.events("built").is_empty());
    assert_eq!(score(&attempt, "answer"), Value::Null, "unscored, and not 0");
    assert!(attempt.run.join("workspace/work/word-chain/chain.py").is_file());
}

#[test]
fn a_repository_that_is_gone_is_named() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let refused = |further: &[&str]| {
        let output = place.run(EXPERT, Where::Local, further).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(&["--at", "task"]);
    assert!(
        said.contains("the task names no commit: leave out `--at task`"),
        "{said}"
    );
    let said = refused(&["--repos", "recordings"]);
    assert!(
        said.contains("has no mirror of https://example.org/reprise/degree-days") && said.contains("--repos"),
        "{said}"
    );
    let said = refused(&["--at", "tomorrow"]);
    assert!(said.contains("`tomorrow` is none of `task` or `head`"), "{said}");
}

/// The mirror vanishes amid an attempt whose kernel is gone: a sentence that names it, and nothing is
/// lost; put back, the attempt goes on.
#[test]
fn a_mirror_that_vanishes_is_named_and_waited_for() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let died = place
        .run(EXPERT, Where::Local, &["--out", "out"])
        .env("REPRISE_DIE_AFTER_EVENT", "9")
        .output()
        .unwrap();
    if String::from_utf8_lossy(&died.stderr).contains("A notebook needs ipykernel") {
        place.attempt("out", &died);
        return;
    }
    assert_eq!(died.status.code(), None);
    let (mirror, aside) = (
        place.path().join("repositories/degree-days"),
        place.path().join("aside"),
    );
    fs::rename(&mirror, &aside).unwrap();
    let resumed = place.command(&["resume", "out"]).output().unwrap();
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(!resumed.status.success());
    assert!(
        said.contains("the mirror") && said.contains("degree-days") && said.contains("is gone: put it back"),
        "{said}"
    );
    fs::rename(&aside, &mirror).unwrap();
    let resumed = place.command(&["resume", "out"]).output().unwrap();
    let attempt = place.attempt("out", &resumed).unwrap();
    assert_eq!(score(&attempt, "answer"), 1.0);
}

/// A landmark whose search never ends and a gold that holds nothing: bounded, unscored, and the rest is graded.
#[test]
#[ignore = "three searches of fifty million steps: .ci/run long"]
fn a_landmark_without_end_and_an_empty_gold_are_unscored() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let gold = json!({"answer": {}, "landmarks": ["(?:(?=a)a+)+b"]});
    place.add_task("endless", &[], &gold);
    let cell = format!("print('{}')", "a".repeat(60));
    place.record(
        "endless",
        &[
            turn("execute", &json!({"cell": cell})),
            turn("submit", &json!({"answer": {"a": 1}})),
        ],
    );
    let options = ["--model", "scripted:endless", "--out", "out"];
    let begun = std::time::Instant::now();
    let output = place.run("endless", Where::Local, &options).output().unwrap();
    let Some(attempt) = place.attempt("out", &output) else {
        return;
    };
    assert!(begun.elapsed().as_secs() < 600, "{:?}", begun.elapsed());
    assert_eq!(score(&attempt, "answer"), Value::Null);
    assert_eq!(score(&attempt, "landmarks"), Value::Null);
    let grade = attempt.grade().to_string();
    assert!(
        grade.contains("its search was given up after 50000000 steps back"),
        "{grade}"
    );
    assert!(grade.contains("none that can be graded in this mode"), "{grade}");
}

/// As `.ci/run long` runs it.
#[test]
#[ignore = "writes a gigabyte: .ci/run long"]
fn a_cell_that_prints_a_gigabyte_is_cut_and_the_attempt_goes_on() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    place.add_task("much", &[], &json!({"answer": {"a": 1}, "landmarks": ["behind"]}));
    place.record(
        "much",
        &[
            turn(
                "execute",
                &json!({"cell": "for _ in range(1000):\n    print('y' * 1_000_000)\nprint('the end')"}),
            ),
            turn("execute", &json!({"cell": "print('behind')"})),
            turn("submit", &json!({"answer": {"a": 1}})),
        ],
    );
    let options = ["--model", "scripted:much", "--out", "out"];
    let output = place.run("much", Where::Local, &options).output().unwrap();
    let Some(attempt) = place.attempt("out", &output) else {
        return;
    };
    let seen = attempt.observations();
    assert!(
        seen[0].starts_with("[The first ") && seen[0].len() < 51_000,
        "{}",
        &seen[0][..300]
    );
    assert!(
        seen[0].contains("the whole is in `logs/kernel/1.out`"),
        "{}",
        &seen[0][..300]
    );
    assert!(seen[1].contains("behind"), "{}", seen[1]);
    let whole = attempt
        .run
        .join("workspace/logs/kernel/1.out")
        .metadata()
        .unwrap()
        .len();
    assert!((900_000_000..=1 << 30).contains(&whole), "{whole}");
    assert_eq!(
        (score(&attempt, "answer"), score(&attempt, "landmarks")),
        (json!(1.0), json!(1.0))
    );
}
