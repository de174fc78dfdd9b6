//! The bundled notebook tasks, attempted in both sandboxes, graded, replayed, exported and benched.

use std::fs;

use serde_json::{Value, json};

use crate::attempt::Attempt;
use crate::notebook_place::{EXPERT, MASKED, NotebookPlace, score};
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
                 [[notebooks]]\nfiles = ['tasks.jsonl']\nsettings.repos = 'repositories'\n";
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
