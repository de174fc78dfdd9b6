//! The bundled notebook tasks, attempted in both sandboxes, graded, replayed, exported and benched.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::attempt::Attempt;
use crate::need::program;
use crate::notebook_place::{EXPERT, MASKED, NotebookPlace, score, turn};
use crate::sandboxes::Where;

fn held(attempt: &Attempt) {
    assert_eq!(score(attempt, "answer"), 1.0, "{}", attempt.stdout);
    assert_eq!(score(attempt, "landmarks"), 1.0, "{}", attempt.stdout);
    assert_eq!(score(attempt, "script"), Value::Null, "{}", attempt.stdout);
    let grade = attempt.grade();
    let also = grade["also"].as_array().unwrap();
    let published = also.iter().filter(|one| one["rule"] == "published");
    let published: Vec<&Value> = published.map(|one| &one["score"]).collect();
    assert_eq!(published, [&json!(1.0), &json!(1.0), &Value::Null], "{grade}");
}

#[test]
fn the_bundled_tasks_are_attempted_in_docker() {
    let Some(place) = NotebookPlace::bundled(Where::Docker) else {
        return;
    };
    for task in [EXPERT, MASKED] {
        let output = place.run(task, Where::Docker, &["--out", task]).output().unwrap();
        let Some(attempt) = place.attempt(task, &output) else {
            return;
        };
        held(&attempt);
        assert!(
            attempt.stdout.contains("by other rules: published answer 1.000"),
            "{}",
            attempt.stdout
        );
    }
    let masked = Attempt {
        run: place.path().join(MASKED),
        stdout: String::new(),
        stderr: String::new(),
    };
    // The task's own cells come first, and the one that runs on is waited for in two parts.
    assert_eq!(masked.events("acted_beforehand").len(), 4);
    let observations = masked.observations();
    assert!(
        observations[0].contains("Nothing was edited. These lines are not in the file"),
        "{}",
        observations[0]
    );
    assert_eq!(observations[2], "{'smoothing': 0.1, 'pause': 1.5}\n");
    assert!(
        observations[3].starts_with("[The cell still runs after 1 seconds."),
        "{}",
        observations[3]
    );
    assert!(
        observations[4].contains("perplexity on the test text: 8.6280"),
        "{}",
        observations[4]
    );
    replayed(&place, MASKED);
}

fn replayed(place: &NotebookPlace, run: &str) {
    let replay = place.command(&["replay", run]).output().unwrap();
    let said = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(
        replay.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&replay.stderr)
    );
}

/// The runs of a bench: in namespaces, graded and exported by the verbs for histories.
#[test]
fn a_bench_runs_the_bundled_tasks_without_containers() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let bench = "name = 'notebooks'\nsettings = { approve = 'auto', sandbox = 'local', network = 'none' }\n\
                 [[notebooks]]\nfiles = ['tasks.jsonl']\ntasks = ['degree-days', 'word-chain_configuration']\nsettings.repos = 'repositories'\n";
    fs::write(place.path().join("bench.toml"), bench).unwrap();
    let output = place.command(&["bench", "bench.toml"]).output().unwrap();
    let Some(benched) = place.attempt("bench", &output) else {
        return;
    };
    let cells = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    let cells: Vec<Value> = cells
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(cells.len(), 2, "{}{}", benched.stdout, benched.stderr);
    for cell in &cells {
        assert_eq!(
            (&cell["kind"], &cell["result"]),
            (&json!("notebook"), &json!("solved")),
            "{cell}"
        );
    }
    assert!(
        benched
            .stdout
            .contains("answer and landmarks whole 1.000 (2 of 2"),
        "{}",
        benched.stdout
    );
    let folder = |task: &str| {
        let cell = cells.iter().find(|cell| cell["task"] == task).unwrap();
        format!("bench/{}", cell["folder"].as_str().unwrap())
    };
    let masked = folder(MASKED);
    let call = |arguments: &[&str]| {
        let output = place.command(arguments).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{arguments:?}: {stdout}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        stdout
    };
    let graded = call(&[
        "notebook",
        "grade",
        &masked,
        "--tasks",
        "tasks.jsonl",
        "--mode",
        "strict",
        "--json",
    ]);
    let graded: Value = serde_json::from_str(&graded).unwrap();
    assert_eq!(graded["grades"][0]["task"], MASKED, "{graded}");
    assert_eq!(graded["grades"][0]["output_match"]["value"], 1.0, "{graded}");
    call(&["notebook", "export", &masked, "--out", "chain.ipynb"]);
    let notebook: Value =
        serde_json::from_slice(&fs::read(place.path().join("chain.ipynb")).unwrap()).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let by = |who: &str| {
        cells
            .iter()
            .filter(|cell| cell["metadata"]["reprise"]["by"] == who)
            .count()
    };
    assert_eq!((by("task"), by("agent")), (4, 3), "{notebook}");
    let shown = call(&["show", &masked]);
    assert!(shown.contains("grade"), "{shown}");
    let report = call(&["report", &masked, "--format", "md"]);
    let report = fs::read_to_string(report.lines().next().unwrap()).unwrap();
    assert!(report.contains("cat config.ini"), "{report}");
    replayed(&place, &folder(EXPERT));
}

/// Cells that clone their repository, as those of published Masked tasks do, reach the mirror without a
/// network, at the commit of the task.
fn cells_clone(sandbox: Where) {
    let Some(place) = NotebookPlace::bundled(sandbox) else {
        return;
    };
    if program("git", "git").is_none() {
        return;
    }
    let mirror = place.path().join("repositories/own/cloned");
    fs::create_dir_all(&mirror).unwrap();
    let git = |arguments: &[&str]| {
        let names = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let output = Command::new("git")
            .args(names)
            .args(arguments)
            .current_dir(&mirror)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet"]);
    for text in ["one", "two"] {
        fs::write(mirror.join("a.txt"), text).unwrap();
        git(&["add", "a.txt"]);
        git(&["commit", "--quiet", "-m", text]);
    }
    git(&["branch", "side"]);
    let first = git(&["rev-parse", "HEAD~1"]);
    let cell = json!({"type": "execute", "content":
        "!git clone --quiet https://github.com/own/cloned.git 2>/dev/null\n%cd cloned\n!cat a.txt; git log --format=%s; git checkout --quiet side; cat a.txt"});
    place.add_record(&json!({
        "task_id": "cloned_data", "github_repo": "https://github.com/own/cloned", "git_commit": first,
        "query": "Report.", "query_components": {"e2e_task": "", "scenario_task": "", "report": "", "instructions": ""},
        "pre_execute_cells": [cell.to_string()], "answer": "{\"a\": 1}", "landmarks": ["two"], "solution_dependencies": "",
    }));
    place.record("submits", &[turn("submit", &json!({"answer": {"a": 1}}))]);
    let options = ["--model", "scripted:submits", "--at", "task", "--out", "out"];
    let output = place.run("cloned_data", sandbox, &options).output().unwrap();
    let Some(attempt) = place.attempt("out", &output) else {
        return;
    };
    held_clone(&attempt, &first);
}

fn held_clone(attempt: &Attempt, first: &str) {
    let acted = attempt.events("acted_beforehand");
    assert_eq!(
        acted[0]["observation"]["text"], "/workspace/work/cloned\noneone\ntwo",
        "{acted:?}"
    );
    let started = attempt.events("run_started").pop().unwrap();
    assert_eq!(started["notebook"]["repository"]["commit"], first);
    let notes = attempt.events("session_ended").pop().unwrap();
    assert!(
        notes.to_string().contains("was copied at commit")
            && notes.to_string().contains("the one that the task names"),
        "{notes}"
    );
}

#[test]
fn cells_clone_from_the_mirror_without_containers() {
    cells_clone(Where::Local);
}

#[test]
#[ignore = "makes an image with git: .ci/run long"]
fn cells_clone_from_the_mirror_in_a_container() {
    cells_clone(Where::Docker);
}
