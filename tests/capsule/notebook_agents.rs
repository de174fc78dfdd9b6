//! Published agents at the bundled notebook tasks, by recordings of each kind: graded, replayed, killed.

use std::fs;

use serde_json::{Value, json};

use crate::attempt::Attempt;
use crate::notebook_place::{EXPERT, MASKED, NotebookPlace, SCRIPTED, score};
use crate::sandboxes::Where;

const AGENTS: [&str; 4] = ["react", "react-super", "reflexion", "swe-agent"];

/// An attempt of an agent by its recording.
fn attempted(place: &NotebookPlace, task: &str, agent: &str, sandbox: Where) -> Option<Attempt> {
    let out = format!("{task}-{agent}");
    let output = place
        .run(task, sandbox, &["--agent", agent, "--out", &out])
        .output()
        .unwrap();
    let attempt = place.attempt(&out, &output)?;
    let context = format!("{task}, {agent}: {}", attempt.stdout);
    assert_eq!(score(&attempt, "answer"), 1.0, "{context}");
    assert_eq!(score(&attempt, "landmarks"), 1.0, "{context}");
    let replay = place.command(&["replay", &out]).output().unwrap();
    assert!(
        replay.status.success(),
        "{context}: {}",
        String::from_utf8_lossy(&replay.stderr)
    );
    Some(attempt)
}

/// The tool and the beginning of what was seen, of each call.
fn calls(attempt: &Attempt) -> Vec<(String, String)> {
    let finished = attempt.events("tool_finished");
    finished
        .iter()
        .map(|call| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&call["tool"]), text(&call["observation"]["text"]))
        })
        .collect()
}

#[test]
fn commands_over_a_window_carry_a_task_in_a_container() {
    let Some(place) = NotebookPlace::bundled(Where::Docker) else {
        return;
    };
    let Some(attempt) = attempted(&place, MASKED, "swe-agent", Where::Docker) else {
        return;
    };
    let calls = calls(&attempt);
    let tools: Vec<&str> = calls.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(
        tools,
        [
            "file_command",
            "file_command",
            "file_command",
            "execute",
            "submit"
        ]
    );
    assert!(
        calls[0]
            .1
            .starts_with("[File: /workspace/work/word-chain/config.ini (6 lines total)]\n1:[chain]\n"),
        "{}",
        calls[0].1
    );
    assert!(
        calls[2].1.contains("4:smoothing = 0.1\n") && calls[2].1.contains("6:pause = 1.5\n"),
        "{}",
        calls[2].1
    );
    let exported = place
        .command(&[
            "notebook",
            "export",
            "word-chain_configuration-swe-agent",
            "--out",
            "a.ipynb",
        ])
        .output()
        .unwrap();
    assert!(exported.status.success());
    let notebook = fs::read_to_string(place.path().join("a.ipynb")).unwrap();
    assert!(
        notebook.contains("_lines[3:4] = [\\\"smoothing = 0.1\\\"]"),
        "{notebook}"
    );
}

/// Recorded, with an answer that cannot be read, which is asked for again and is no step.
#[test]
fn react_with_edits_carries_a_task_in_a_container() {
    let Some(place) = NotebookPlace::bundled(Where::Docker) else {
        return;
    };
    let Some(attempt) = attempted(&place, EXPERT, "react-super", Where::Docker) else {
        return;
    };
    assert_eq!(attempt.events("model_answered").len(), 7);
    let calls = calls(&attempt);
    assert_eq!(calls.len(), 6, "{calls:?}");
    assert!(
        calls[2].1.contains("These lines are not in the file"),
        "{}",
        calls[2].1
    );
    let request = fs::read_to_string(attempt.run.join("run.json")).unwrap();
    let request: Value = serde_json::from_str(&request).unwrap();
    assert_eq!(
        request["notebook"]["agent"],
        json!({"name": "react-super", "attempts": 1})
    );
}

/// The first attempt submits nothing: a plan, the repository as it was, another kernel, and the task's
/// own cells again; what is graded is the second attempt.
#[test]
fn an_attempt_that_submits_nothing_is_begun_again_with_a_plan() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let Some(attempt) = attempted(&place, MASKED, "reflexion", Where::Local) else {
        return;
    };
    let over = attempt.events("attempt_over");
    assert_eq!(over.len(), 1, "{over:?}");
    assert!(
        over[0]["why"].as_str().unwrap().contains("4 answers in a row"),
        "{over:?}"
    );
    assert_eq!(
        attempt.events("acted_beforehand").len(),
        8,
        "four cells of the task, twice"
    );
    let exported = place
        .command(&[
            "notebook",
            "export",
            "word-chain_configuration-reflexion",
            "--out",
            "a.ipynb",
        ])
        .output()
        .unwrap();
    assert!(exported.status.success());
    let notebook: Value = serde_json::from_slice(&fs::read(place.path().join("a.ipynb")).unwrap()).unwrap();
    let code = notebook["cells"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|cell| cell["cell_type"] == "code");
    assert_eq!(
        code.count(),
        6,
        "four cells of the task, an edit and a run: {notebook}"
    );
    let audit = place
        .command(&["score", "audit", "word-chain_configuration-reflexion", "--json"])
        .output()
        .unwrap();
    let audit: Value = serde_json::from_slice(&audit.stdout).unwrap();
    let run = &audit["runs"][0];
    assert_eq!(run["commands"], 4, "{audit}");
    assert_eq!(run["values"][0]["name"], "submission.perplexity", "{audit}");
    assert_eq!(run["values"][0]["source"], "printed", "{audit}");
}

/// The budget of iterations is shared by attempts, and ends an attempt of any agent.
#[test]
fn iterations_end_an_attempt() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let step = |cell: &str| json!({"answer": {"text": format!("Thought: on.\nAction: execute\n<content>\n{cell}\n</content>")}});
    let plan = json!({"answer": {"text": "Plan: the same.\n[END]"}});
    place.record(
        "idle",
        &[step("1"), step("2"), plan, step("3"), step("4"), step("5")],
    );
    let options = [
        "--agent",
        "reflexion",
        "--attempts",
        "2",
        "--model",
        "scripted:idle",
        "--iterations",
        "4",
        "--out",
        "out",
    ];
    let output = place.run(EXPERT, Where::Local, &options).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if stderr.contains("A notebook needs ipykernel") {
        place.attempt("out", &output);
        return;
    }
    assert_eq!(output.status.code(), Some(6), "{stderr}");
    let attempt = Attempt {
        run: place.path().join("out"),
        stdout: String::new(),
        stderr,
    };
    let end = attempt.events("stage_ended").pop().unwrap();
    assert_eq!(end["cause"], "limit", "{end}");
    assert!(
        end["detail"].as_str().unwrap().contains("within 4 iterations"),
        "{end}"
    );
    assert_eq!(attempt.events("attempt_over").len(), 1);
    assert_eq!(attempt.events("model_answered").len(), 5, "two, a plan, two");
    assert_eq!(score(&attempt, "answer"), 0.0, "nothing was submitted");
    // Our own loop is ended by the same budget.
    place.record(
        "own",
        &(0..3)
            .map(|cell| json!({"answer": {"calls": [{"name": "execute", "arguments": {"cell": cell.to_string()}}]}}))
            .collect::<Vec<_>>(),
    );
    let options = ["--model", "scripted:own", "--iterations", "2", "--out", "own"];
    let output = place.run(EXPERT, Where::Local, &options).output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(6),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn agents_that_there_are_not_are_named() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let refused = |further: &[&str]| {
        let output = place.run(EXPERT, Where::Local, further).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(&["--agent", "nobody"]);
    assert!(
        said.contains("no agent `nobody` for the track `notebook`")
            && said.contains(
                "plain (our own loop), react, react-super, reflexion, swe-agent; programs of others are codex"
            ),
        "{said}"
    );
    let said = refused(&["--agent", "react", "--attempts", "2"]);
    assert!(said.contains("writes no plan behind an attempt"), "{said}");
}

/// A task that names a script is scored for it: it rests for twelve seconds.
#[test]
fn a_script_that_ran_long_enough_is_scored() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let output = place
        .run(SCRIPTED, Where::Local, &["--out", "out"])
        .output()
        .unwrap();
    let Some(attempt) = place.attempt("out", &output) else {
        return;
    };
    for part in ["answer", "landmarks", "script"] {
        assert_eq!(score(&attempt, part), 1.0, "{part}: {}", attempt.stdout);
    }
}

/// As `.ci/run long` runs it.
#[test]
#[ignore = "takes minutes: .ci/run long"]
fn every_agent_carries_both_tasks_in_containers() {
    let Some(place) = NotebookPlace::bundled(Where::Docker) else {
        return;
    };
    for agent in AGENTS {
        for task in [EXPERT, MASKED] {
            if attempted(&place, task, agent, Where::Docker).is_none() {
                return;
            }
        }
    }
}

/// As `.ci/run long` runs it: behind every event, plans and ends of attempts among them.
#[test]
#[ignore = "takes minutes: .ci/run long"]
fn agents_are_killed_behind_every_event() {
    for (agent, task) in [("reflexion", MASKED), ("swe-agent", EXPERT)] {
        for sandbox in [Where::Docker, Where::Local] {
            killed_behind_every_event(agent, task, sandbox);
        }
    }
}

fn killed_behind_every_event(agent: &str, task: &str, sandbox: Where) {
    let Some(place) = NotebookPlace::bundled(sandbox) else {
        return;
    };
    let model = format!("scripted:{task}.{agent}");
    let options = ["--agent", agent, "--model", model.as_str(), "--out"];
    let run = |out: &str, event: usize| {
        let further = [&options[..], &[out]].concat();
        place
            .run(task, sandbox, &further)
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string())
            .output()
            .unwrap()
    };
    let Some(whole) = place.attempt("whole", &run("whole", 100_000)) else {
        return;
    };
    let seen = whole.observations();
    let events = whole.journal().lines().count();
    assert!(events > 18, "{events}");
    for event in 1..events {
        let out = format!("out-{event}");
        let died = run(&out, event);
        assert_eq!(died.status.code(), None, "event {event} did not kill it");
        let resumed = place.command(&["resume", &out]).output().unwrap();
        let Some(attempt) = place.attempt(&out, &resumed) else {
            return;
        };
        let context = format!("{agent}, {task}, {}: killed behind event {event}", sandbox.name());
        assert_eq!(score(&attempt, "answer"), 1.0, "{context}");
        assert_eq!(attempt.observations(), seen, "{context}");
        assert_eq!(
            attempt.events("attempt_over").len(),
            whole.events("attempt_over").len(),
            "{context}"
        );
    }
}
