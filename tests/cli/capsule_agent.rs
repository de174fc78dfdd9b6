//! The core agent: hints by level, figures that are looked at, a report that is checked, a limit of cost.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::dialects::{Dialect, called as calling, said};
use super::server::{Seen, Server, json as answered};
use super::support::{Called, Place, called};

const ID: &str = "capsule-0000001";
const NUMBER: &str = "Report p.";
const FIGURE: &str = "fig Report the colour of the square.";
const SEEN: &str = "The square is blue.";

/// A blue square of four pixels by four.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGNQcDgARwzEcQDKQxIB1y4VyQAAAABJRU5ErkJg\
    gg==";

/// A capsule with a result and a figure, its task file beside it.
pub fn capsule(place: &Place) {
    let write = |name: &str, bytes: &[u8]| {
        let path = place.path().join(ID).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("code/run.sh", b"echo p = 0.957\n");
    write("data/rows.csv", b"a\n1\n");
    write("environment/Dockerfile", b"FROM python:3.11-slim\n");
    write("results/output.txt", b"p = 0.957\n");
    write("results/figure.png", &STANDARD.decode(PICTURE).unwrap());
    let run = json!({ NUMBER: 0.957, FIGURE: "blue" });
    let task = json!([{
        "field": "Test", "language": "Python", "capsule_title": "A square", "capsule_id": ID, "task_prompt": "Run it.",
        "results": [run, run, run], "capsule_doi": "https://doi.org/10.1/x",
    }]);
    std::fs::write(place.path().join("task.json"), task.to_string()).unwrap();
}

/// The turns of an agent that first hands in a rounded number, and a figure that it did not look at.
fn turn(number: usize) -> (&'static str, Value) {
    let submit = |p: f64| ("submit", json!({ "answers": { NUMBER: p, FIGURE: "blue" } }));
    match number {
        0 => (
            "bash",
            json!({ "command": format!("cat environment/{ID}/results/output.txt") }),
        ),
        1 => submit(0.96),
        2 => {
            let path = format!("work/environment/{ID}/results/figure.png");
            (
                "look_at_image",
                json!({ "path": path, "question": "Which colour is the square?" }),
            )
        }
        _ => submit(0.957),
    }
}

/// A provider that plays these turns, and looks at pictures.
pub fn provider() -> (Runtime, SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let log: Arc<Mutex<Vec<Value>>> = Arc::default();
    let bodies = log.clone();
    let server = runtime.block_on(Server::answering(Arc::new(move |_, seen: &Seen| {
        bodies.lock().unwrap().push(seen.body.clone());
        let messages = seen.body["messages"].as_array().unwrap();
        let next = if messages.iter().any(|message| message["content"].is_array()) {
            said(SEEN)
        } else {
            let number = messages
                .iter()
                .filter(|message| message["role"] == "assistant")
                .count();
            let (tool, arguments) = turn(number);
            calling(&[("a", tool, &arguments.to_string())])
        };
        answered(Dialect::Chat.body(&next))
    })));
    (runtime, server.address, log)
}

/// An attempt at the easy level, where the results are there to be read.
pub fn attempt(place: &Place, address: SocketAddr, approve: &str, further: &[&str]) -> Command {
    let attempt = [
        "capsule",
        "run",
        "task.json",
        "--level",
        "easy",
        "--approve",
        approve,
        "--sandbox",
        "local",
        "--out",
        "out",
    ];
    let mut command = place.command(&[&attempt[..], further].concat());
    with_provider(&mut command, address);
    command
}

pub fn with_provider(command: &mut Command, address: SocketAddr) {
    command
        .env("OPENAI_API_KEY", "sk-test")
        .env("OPENAI_BASE_URL", format!("http://{address}/v1"));
}

pub fn blind(address: SocketAddr) -> String {
    format!("openai-api/{address}/v1/blind")
}

/// The attempt came to its end with both answers right, behind one objection and one look.
fn assert_checked(place: &Place, called: &Called, bodies: &[Value]) {
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let models: Vec<&str> = bodies
        .iter()
        .map(|body| body["model"].as_str().unwrap())
        .collect();
    assert_eq!(models, ["blind", "blind", "blind", "gpt-4o", "blind"]);
    let system = bodies[0]["messages"][0]["content"].as_str().unwrap();
    assert!(
        system.contains("results are there") && !system.contains("REPRODUCING.md"),
        "{system}"
    );
    let tools = bodies[0]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool["function"]["name"] == "look_at_image")
    );
    let objection = bodies[2]["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap();
    for part in ["is 0.96, and 0.957 was printed", "no picture was looked at"] {
        assert!(objection.contains(part), "{objection}");
    }
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let graded = journal
        .lines()
        .find(|line| line.contains("\"run_graded\""))
        .unwrap();
    let graded: Value = serde_json::from_str(graded).unwrap();
    let parts = graded["event"]["grade"]["parts"].as_array().unwrap();
    assert!(
        parts.len() == 2 && parts.iter().all(|part| part["score"] == 1.0),
        "{graded}"
    );
    let report = place.call(&["capsule", "report", "out", "--json"]);
    assert!(report.stdout.contains("core-agent ("), "{}", report.stdout);
}

#[test]
fn a_report_is_taken_once_its_numbers_were_printed_and_its_figures_looked_at() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    capsule(&place);
    let model = blind(address);
    let core = [
        "--agent",
        "core-agent",
        "--model",
        &model,
        "--vision-model",
        "openai/gpt-4o",
    ];
    let whole = called(attempt(&place, address, "auto", &core).output().unwrap());
    assert_checked(&place, &whole, &log.lock().unwrap());
    let replayed = place.call(&["replay", "out", "--sandbox", "local"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn an_attempt_of_the_core_agent_is_resumed_as_its_own() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    capsule(&place);
    let model = blind(address);
    let core = [
        "--agent",
        "core-agent",
        "--model",
        &model,
        "--vision-model",
        "openai/gpt-4o",
    ];
    let mut dying = attempt(&place, address, "auto", &core);
    // Behind the review of the first report.
    let reviewed = {
        let twin = Place::new();
        capsule(&twin);
        let whole = called(attempt(&twin, address, "auto", &core).output().unwrap());
        assert_eq!(whole.status, 0, "{}", whole.stderr);
        let journal = std::fs::read_to_string(twin.path().join("out/journal.jsonl")).unwrap();
        journal
            .lines()
            .position(|line| line.contains("\"answer_reviewed\""))
            .unwrap()
            + 1
    };
    log.lock().unwrap().clear();
    let died = dying
        .env("REPRISE_DIE_AFTER_EVENT", reviewed.to_string())
        .output()
        .unwrap();
    assert_eq!(
        died.status.code(),
        None,
        "{}",
        String::from_utf8_lossy(&died.stderr)
    );
    assert_eq!(log.lock().unwrap().len(), 2);
    let mut resume = place.command(&["resume", "out"]);
    with_provider(&mut resume, address);
    let resumed = called(resume.output().unwrap());
    assert_checked(&place, &resumed, &log.lock().unwrap());
}

#[test]
fn the_plain_agent_takes_the_same_report_and_can_look_where_another_model_sees() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    capsule(&place);
    let model = blind(address);
    let plain = [
        "--agent",
        "plain",
        "--model",
        &model,
        "--vision-model",
        "openai/gpt-4o",
    ];
    let whole = called(attempt(&place, address, "auto", &plain).output().unwrap());
    assert_eq!(whole.status, 0, "{}{}", whole.stdout, whole.stderr);
    let bodies = log.lock().unwrap();
    assert_eq!(bodies.len(), 2, "it was taken as it was handed in");
    let tools = bodies[0]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool["function"]["name"] == "look_at_image")
    );
    assert!(!bodies[0].to_string().contains("results are there"));
}

/// The bounds of a run, as its folder holds them; it ends at its first turn.
fn bounds(further: &[&str]) -> (Called, Value) {
    let (_runtime, address, _log) = provider();
    let place = Place::new();
    capsule(&place);
    let once = ["--agent", "core-agent", "--max-turns", "1"];
    let called = called(
        attempt(&place, address, "auto", &[&once, further].concat())
            .output()
            .unwrap(),
    );
    let request = std::fs::read(place.path().join("out/run.json"));
    let request: Value = request.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap());
    (called, request["budget"].clone())
}

#[test]
fn cost_and_time_are_limited_where_nothing_else_is_said() {
    let (called, budget) = bounds(&["--model", "openai/gpt-4o"]);
    assert_eq!(called.status, 6, "{}{}", called.stdout, called.stderr);
    let text = budget.to_string();
    assert!(text.contains("4000000") && text.contains("7200"), "{text}");
    let (_, budget) = bounds(&["--model", "openai/gpt-4o", "--max-cost", "1.5"]);
    let text = budget.to_string();
    assert!(text.contains("1500000") && !text.contains("4000000"), "{text}");
}

#[test]
fn figures_want_somebody_who_sees_and_programs_options_are_refused() {
    let (called, _) = bounds(&["--model", "openai-api/127.0.0.1:1/v1/blind"]);
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(
        called.stderr.contains("--vision-model") && called.stderr.contains("1 of the questions"),
        "{}",
        called.stderr
    );
    let (called, _) = bounds(&["--model", "openai/gpt-4o", "--", "python3", "mine.py"]);
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("--agent core-agent is part of this program and has no use for a program behind --"),
        "{}",
        called.stderr
    );
}
