//! Attempts at a notebook task whose engine is killed, and that are resumed.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::attempt::Attempt;
use crate::model::Model;
use crate::notebook_place::{EXPERT, MASKED, NotebookPlace, recorded_turns, recording, score};
use crate::sandboxes::Where;

/// An attempt at the Masked-like task, with a model that counts what it is asked.
struct KilledNotebook {
    place: NotebookPlace,
    model: Model,
    sandbox: Where,
}

impl KilledNotebook {
    fn new(sandbox: Where) -> Option<Self> {
        Some(Self {
            place: NotebookPlace::bundled(sandbox)?,
            model: Model::start(&recording(&recorded_turns(MASKED))),
            sandbox,
        })
    }

    fn begin(&self) -> Command {
        let name = self.model.name();
        let options = ["--model", name.as_str(), "--allow-unpriced", "--out", "out"];
        let mut command = self.place.run(MASKED, self.sandbox, &options);
        command.env("REPRISE_MODEL_KEY", "sk-test");
        command
    }

    fn dies_behind(&self, event: usize) -> Output {
        self.begin()
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string())
            .output()
            .unwrap()
    }

    fn resume(&self) -> Output {
        let mut command = self.place.command(&["resume", "out"]);
        command.env("REPRISE_MODEL_KEY", "sk-test").output().unwrap()
    }

    /// Holds a resumed attempt to one that was never killed.
    fn held(&self, attempt: &Attempt, context: &str) {
        assert_eq!(score(attempt, "answer"), 1.0, "{context}");
        assert_eq!(score(attempt, "landmarks"), 1.0, "{context}");
        assert_eq!(
            self.model.answered(),
            [0, 1, 2, 3, 4, 5],
            "{context}: a call was paid twice"
        );
        assert_eq!(attempt.events("acted_beforehand").len(), 4, "{context}");
        let seen = attempt.observations();
        assert_eq!(seen.len(), 6, "{context}: {seen:?}");
        // The namespace that the task's cells left is there.
        assert_eq!(seen[2], "{'smoothing': 0.1, 'pause': 1.5}\n", "{context}");
        assert!(
            seen[4].contains("perplexity on the test text: 8.6280"),
            "{context}: {seen:?}"
        );
        if self.sandbox == Where::Docker {
            let request = std::fs::read(attempt.run.join("run.json")).unwrap();
            let request: Value = serde_json::from_slice(&request).unwrap();
            let label = format!("label=org.reprise.run={}", request["run"].as_str().unwrap());
            let left = Command::new("docker")
                .args(["ps", "-aq", "--filter", &label])
                .output()
                .unwrap();
            assert!(left.stdout.is_empty(), "{context}: a container is left");
        }
    }
}

/// Killed behind events, each in an attempt of its own.
fn killed_behind(sandbox: Where, events: impl Iterator<Item = usize>) {
    for event in events {
        let Some(killed) = KilledNotebook::new(sandbox) else {
            return;
        };
        let died = killed.dies_behind(event);
        let said = String::from_utf8_lossy(&died.stderr).into_owned();
        if said.contains("A notebook needs ipykernel") {
            killed.place.attempt("out", &died);
            return;
        }
        assert_eq!(died.status.code(), None, "event {event} did not kill it: {said}");
        let Some(attempt) = killed.place.attempt("out", &killed.resume()) else {
            return;
        };
        killed.held(
            &attempt,
            &format!("{}: killed behind event {event}", sandbox.name()),
        );
    }
}

/// Among the task's own cells, and behind a cell that still runs.
#[test]
fn a_kernel_is_taken_up_again_with_its_state() {
    killed_behind(Where::Docker, [7, 17].into_iter());
}

#[test]
fn cells_are_executed_again_without_containers() {
    killed_behind(Where::Local, [13].into_iter());
}

/// A step of ReAct's form.
fn step(kind: &str, content: &str) -> Value {
    json!({"answer": {"text": format!("Thought: on.\nAction: {kind}\n<content>\n{content}\n</content>")}})
}

/// What a cell printed before the kill is what its agent is told, whatever it prints when it is executed again;
/// a replay is told what it prints by then, goes on, and names it.
#[test]
fn a_drifting_observation_stops_neither_a_resumption_nor_a_replay() {
    let Some(place) = NotebookPlace::bundled(Where::Local) else {
        return;
    };
    let answer = "{\"test_error\": 0.3157, \"gas_per_degree_day\": 0.4268}";
    let turns = [
        step("execute", "!date +%s%N"),
        step("execute", "1 + 1"),
        step("submit", answer),
    ];
    let model = Model::start(&recording(&turns));
    let name = model.name();
    let begin = |out: &str, event: usize| {
        let options = [
            "--agent",
            "react",
            "--model",
            &name,
            "--allow-unpriced",
            "--out",
            out,
        ];
        let mut command = place.run(EXPERT, Where::Local, &options);
        command
            .env("REPRISE_MODEL_KEY", "sk-test")
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string());
        command.output().unwrap()
    };
    let Some(whole) = place.attempt("whole", &begin("whole", 100_000)) else {
        return;
    };
    let journal = whole.journal();
    let seen = journal
        .lines()
        .position(|line| line.contains("\"tool_finished\""));
    let died = begin("out", seen.unwrap() + 1);
    assert_eq!(
        died.status.code(),
        None,
        "{}",
        String::from_utf8_lossy(&died.stderr)
    );
    let mut resume = place.command(&["resume", "out"]);
    let resumed = resume.env("REPRISE_MODEL_KEY", "sk-test").output().unwrap();
    let attempt = place.attempt("out", &resumed).unwrap();
    let first = attempt.observations()[0].trim().to_owned();
    assert!(first.chars().all(|one| one.is_ascii_digit()), "{first}");
    assert_eq!(model.answered(), [0, 1, 2, 0, 1, 2], "a call was paid twice");
    let told = &model.told()[4..];
    assert!(told[0].ends_with(&format!("Observation: {first}")), "{told:?}");
    assert!(
        told[1].contains(&format!("Observation: {first}\n"))
            && told[1].contains("These came to something else: `execute` of turn 1 of solve"),
        "{told:?}"
    );
    assert_eq!(score(&attempt, "answer"), 1.0);
    let replay = place.command(&["replay", "out", "--json"]).output().unwrap();
    let told: Value = serde_json::from_slice(&replay.stdout).unwrap();
    assert_eq!(told["cut_short"], Value::Null, "{told}");
    let places = told["differences"].as_array().unwrap().iter();
    let places: Vec<&str> = places.map(|one| one["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["solve, turn 1, execute"], "{told}");
}

/// As `.ci/run long` runs it.
#[test]
#[ignore = "takes minutes: .ci/run long"]
fn notebooks_are_killed_behind_every_event() {
    for sandbox in [Where::Docker, Where::Local] {
        let Some(whole) = KilledNotebook::new(sandbox) else {
            return;
        };
        let Some(attempt) = whole.place.attempt("out", &whole.begin().output().unwrap()) else {
            return;
        };
        whole.held(&attempt, "never killed");
        let events = attempt.journal().lines().count();
        assert!(events > 18, "{events}");
        killed_behind(sandbox, 1..events);
    }
}
