//! A program of others at a bundled notebook task: in a shell over the repository, graded by its answer.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::attempt::{Place, Where, said};
use crate::need::need_that;
use crate::provider::Speaks;

/// What the agent runs: it configures the repository, trains, and writes what was printed.
fn commands() -> Vec<String> {
    vec![
        "cd degree-days && sed 's/18.0/15.5/' settings.example.json > settings.json && python3 train.py --epochs 200 > log"
            .to_owned(),
        concat!(
            "python3 - <<'END'\n",
            "import json, os, re\n",
            "log = open('degree-days/log').read()\n",
            "def printed(what):\n    return float(re.search(what + ' ([0-9.]+)', log)[1])\n",
            "answer = {'test_error': printed('test error'), 'gas_per_degree_day': printed('degree day')}\n",
            "json.dump(answer, open(os.environ['REPRISE_ANSWER_FILE'], 'w'))\nEND",
        )
            .to_owned(),
    ]
}

fn begin(place: &Place, task: &str) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = place.command(&["notebook", "run"]);
    command
        .arg(root.join("notebooks/tasks.jsonl"))
        .args([
            "--task",
            task,
            "--approve",
            "auto",
            "--network",
            "none",
            "--allow-unpriced",
        ])
        .args([
            "--sandbox",
            "local",
            "--out",
            "out",
            "--model",
            &place.provider.model(place.speaks).0,
        ])
        .args(["--agent", "command", "--agent-files"])
        .arg(root.join("tests/agents/clients"))
        .args(["--", "python3", "/agent/agent.py", place.speaks.word()]);
    // The environment of kernels, as the tests of notebook tasks make it.
    let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
    command.env(
        "REPRISE_CACHE",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache),
    );
    if let Some(value) = std::env::var_os("PIP_INDEX_URL") {
        command.env("PIP_INDEX_URL", value);
    }
    command
}

#[test]
fn a_program_attempts_a_notebook_task_and_its_answer_is_graded() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let output = begin(&place, "degree-days").output().unwrap();
    if said(&output).contains("A notebook needs ipykernel") {
        need_that(false, "no kernel can be installed here");
        return;
    }
    assert!(output.status.success(), "{}", said(&output));
    let grade = place.events("run_graded").pop().unwrap()["grade"].take();
    let score = |name: &str| {
        let parts = grade["parts"].as_array().unwrap();
        parts.iter().find(|part| part["name"] == name).unwrap()["score"].clone()
    };
    assert_eq!(score("answer"), 1.0, "{grade}");
    assert_eq!(
        (score("landmarks"), score("script")),
        (Value::Null, Value::Null),
        "{grade}"
    );
    assert_eq!(place.events("model_answered").len(), 3);
    let replay = place.command(&["replay", "out"]).output().unwrap();
    assert!(replay.status.success(), "{}", said(&replay));
}

#[test]
fn a_program_is_given_no_kernel_of_a_tasks_own_cells() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let output = begin(&place, "word-chain_configuration").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("has cells that are executed beforehand in a kernel"),
        "{}",
        said(&output)
    );
}
