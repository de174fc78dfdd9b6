//! Runs that real coding agents carry from outside of the sandbox, with a scripted model on loopback.

use serde_json::{Value, json};

use crate::coding_agent::{AgentSetting, CodingAgent, said};
use crate::model::{ScriptedCall, ScriptedModel};
use crate::place::{Place, right, sunspots};

/// Answers of which five are right; the standard error is none that the task file holds.
fn answers() -> Value {
    let mut answers = right();
    answers["Report the mean number of sunspots."] = json!(49.76);
    answers["Report the bootstrap standard error of the mean."] = json!(3.5);
    answers
}

/// Figures of the task file that no code prints, and that no answer holds.
fn gold() -> Vec<String> {
    let text = std::fs::read_to_string(sunspots()).unwrap();
    let runs = serde_json::from_str::<Value>(&text).unwrap();
    let runs = runs[0]["results"].as_array().unwrap().clone();
    runs.iter()
        .map(|run| run["Report the bootstrap standard error of the mean."].to_string())
        .collect()
}

fn bash(command: &str) -> ScriptedCall {
    ScriptedCall {
        tool: "bash",
        arguments: json!({ "command": command }),
    }
}

fn submit(answers: Value) -> ScriptedCall {
    ScriptedCall {
        tool: "submit",
        arguments: json!({ "answers": answers }),
    }
}

/// A run that an agent was given, and that it has left.
struct CarriedRun {
    place: Place,
    model: ScriptedModel,
    agent: CodingAgent,
    said: String,
}

impl CarriedRun {
    /// Has an agent make calls, each of which it waits for some seconds for. `None` where something is lacking.
    fn new(agent: CodingAgent, calls: &[ScriptedCall], call_seconds: u64) -> Option<Self> {
        let place = Place::new()?;
        let model = ScriptedModel::start(place.path(), calls)?;
        let files = agent.fetched(&place);
        let program = env!("CARGO_BIN_EXE_reprise").to_owned();
        let served = [vec![program], place.served(&[])].concat();
        agent.configure(
            place.path(),
            &AgentSetting {
                port: model.port,
                served: &served,
                call_seconds,
            },
        );
        let output = agent.run(&files, place.path(), model.port);
        let said = said(&output);
        assert!(output.status.success(), "{}: {said}", agent.name());
        Some(Self {
            place,
            model,
            agent,
            said,
        })
    }

    /// The last request, which holds the whole conversation.
    fn conversation(&self) -> String {
        let requests = self.model.requests();
        requests.last().unwrap()["body"].to_string()
    }

    /// Holds that five of six answers were graded as right, that the run is told as unmetered, and that nothing
    /// of its grade was told to the agent.
    fn assert_graded(&self) {
        let mut graded = self.place.events("run_graded");
        assert_eq!(graded.len(), 1, "{}", self.said);
        let grade = graded.remove(0);
        let parts = grade["grade"]["parts"].as_array().unwrap();
        let score: f64 = parts.iter().map(|part| part["score"].as_f64().unwrap()).sum();
        assert!(parts.len() == 6 && score == 5.0, "{grade}");
        assert_eq!(self.place.shown()["unmetered"], true);
        let asked = self.model.asked();
        assert!(
            self.conversation().contains("accepted"),
            "{}: {}",
            self.agent.name(),
            self.conversation()
        );
        for untold in gold().iter().map(String::as_str).chain(["0.833"]) {
            assert!(!asked.contains(untold), "{} saw {untold}", self.agent.name());
        }
    }
}

/// The whole of a run: the task, its code, answers that are handed back, and those that count.
fn carries(agent: CodingAgent) {
    let code = "cd environment/capsule-9000001/code && mkdir -p ../results && \
                python3 sunspots.py --data ../data --results ../results; ls ../results; echo $((41 * 1000 + 7))";
    let calls = [
        ScriptedCall {
            tool: "task",
            arguments: json!({}),
        },
        bash(code),
        bash("basename $PWD; (exit 3)"),
        ScriptedCall {
            tool: "read_file",
            arguments: json!({ "path": "work/environment/capsule-9000001/data/sunspots.csv", "lines": 2 }),
        },
        submit(json!({ "Report the mean number of sunspots.": 1 })),
        submit(answers()),
    ];
    let Some(run) = CarriedRun::new(agent, &calls, 600) else {
        return;
    };
    run.assert_graded();
    // Its model was asked once a call, and once behind the last.
    let requests = run.model.requests();
    assert_eq!(requests.len(), calls.len() + 1, "{}", run.said);
    let conversation = run.conversation();
    for told in [
        "Run `sunspots.py` on the data",
        "41007",
        "estimates.txt",
        "exit status 3",
        "not taken as they are",
    ] {
        assert!(
            conversation.contains(told),
            "{}: {told} in {conversation}",
            agent.name()
        );
    }
    let acts = run.place.acts();
    assert_eq!(acts.len(), 2, "{acts:?}");
    assert_eq!(run.place.shown()["stages"][0]["turns"], 5);
    println!("{}: {} calls, graded 5 of 6", agent.name(), calls.len());
}

/// The behaviour of an agent whose own limit is over while a call still tells its progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AtItsLimit {
    /// It cancels the call, and tells its model of that.
    Cancels,
    /// It waits on.
    Waits,
}

/// A call that outlasts an agent's own limit: the run goes on with the next one.
fn outlasts(agent: CodingAgent, expected: AtItsLimit) {
    let long = ScriptedCall {
        tool: "bash",
        arguments: json!({ "command": "sleep 50; echo $((6 * 111))-ended", "seconds": 300 }),
    };
    let task = ScriptedCall {
        tool: "task",
        arguments: json!({}),
    };
    let calls = [long, task, bash("echo $((5 * 111))-ended"), submit(answers())];
    let Some(run) = CarriedRun::new(agent, &calls, 15) else {
        return;
    };
    run.assert_graded();
    let conversation = run.conversation();
    assert!(conversation.contains("555-ended"), "{conversation}");
    let controls: Vec<Value> = run
        .place
        .acts()
        .iter()
        .map(|act| act["control"].clone())
        .collect();
    let nothing = Value::Null;
    match expected {
        AtItsLimit::Cancels => {
            assert_eq!(controls, [nothing.clone(), json!("interrupt"), nothing]);
            assert!(
                !conversation.contains("666-ended") && conversation.contains("timed out"),
                "{conversation}"
            );
        }
        AtItsLimit::Waits => {
            assert_eq!(controls, [nothing.clone(), nothing]);
            assert!(conversation.contains("666-ended"), "{conversation}");
        }
    }
    println!("{}: at its limit it {expected:?}", agent.name());
}

#[test]
#[ignore = "fetches 100 MB from npm: `.ci/run long`"]
fn codex_carries_a_run() {
    carries(CodingAgent::Codex);
    outlasts(CodingAgent::Codex, AtItsLimit::Cancels);
}

#[test]
#[ignore = "fetches 60 MB from npm: `.ci/run long`"]
fn opencode_carries_a_run() {
    carries(CodingAgent::OpenCode);
    outlasts(CodingAgent::OpenCode, AtItsLimit::Waits);
}

#[test]
#[ignore = "fetches 80 MB from npm and PyPI: `.ci/run long`"]
fn gemini_carries_a_run() {
    carries(CodingAgent::Gemini);
    outlasts(CodingAgent::Gemini, AtItsLimit::Cancels);
}
