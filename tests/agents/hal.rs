//! Agents written for HAL's harness, unchanged.

use std::path::Path;

use serde_json::{Value, json};

use crate::attempt::{Place, Where, answers, said};
use crate::provider::Speaks;

#[test]
fn an_agent_of_hal_runs_unchanged_and_its_answer_is_graded() {
    let commands = vec![
        "ls environment/*".to_owned(),
        format!("cat > environment/report.json <<'END'\n{}\nEND", answers()),
    ];
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands) else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = place
        .command(&["capsule", "run"])
        .arg(root.join("capsules/sunspots/task.json"))
        .args([
            "--layout",
            "hal",
            "--approve",
            "auto",
            "--network",
            "none",
            "--allow-unpriced",
            "--out",
            "out",
        ])
        .args([
            "--sandbox",
            "local",
            "--model",
            &place.provider.model(Speaks::Chat).0,
        ])
        .args([
            "--agent",
            "hal",
            "-A",
            "max_steps=6",
            "-A",
            "careful=true",
            "--agent-files",
        ])
        .arg(root.join("tests/agents/hal_agent"))
        .args(["--", "main.run"])
        .output()
        .unwrap();
    place.assert_right(&output, 3);
    let work = place.run().join("workspace/work");
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(work.join(name)).unwrap()).unwrap()
    };
    let input = read("input.json");
    assert_eq!(input.as_object().unwrap().len(), 1, "{input}");
    assert_eq!(read("agent_args.json")["max_steps"], json!(6));
    assert!(read("output.json").to_string().contains("metrics"));
    let exported = place
        .command(&["export", "out", "--format", "hal", "--out", "hal"])
        .output()
        .unwrap();
    assert!(exported.status.success(), "{}", said(&exported));
}

#[test]
fn arguments_that_reach_no_agent_are_refused() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, Vec::new()) else {
        return;
    };
    for (agent, argument, why) in [
        ("codex", "max_steps=6", "passes no arguments on"),
        ("command", "max_steps", "expected NAME=VALUE"),
    ] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut command = place.command(&["capsule", "run"]);
        command
            .arg(root.join("capsules/sunspots/task.json"))
            .args(["--model", &place.provider.model(Speaks::Chat).0, "--out", "out"])
            .args(["--agent", agent, "--agent-files", ".", "-A", argument]);
        if agent == "command" {
            command.args(["--", "true"]);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(why), "{}", said(&output));
    }
}
