//! Pictures in a run: who is offered them, who looks, and what stays.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::dialects::{Dialect, called as calling, said};
use super::server::{Seen, Server, json as answered, reply};
use super::support::{Place, called};

const KEY: &str = "sk-canary-7f3a9d5e1b2c";
const SEEN: &str = "The figure shows a line that rises.";

/// The answer of the extract stage, from the study's recording.
fn answer() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/slope/recordings/native.json");
    let recording: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let turns = recording["stages"]["extract"]["turns"].as_array().unwrap();
    turns.last().unwrap()["answer"]["json"].to_string()
}

/// A provider that looks at the paper once, and then answers.
fn provider() -> (Runtime, SocketAddr, Arc<Mutex<Vec<Value>>>) {
    busy_provider(0)
}

/// The same, which turns down the first so many looks.
fn busy_provider(times: u32) -> (Runtime, SocketAddr, Arc<Mutex<Vec<Value>>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let log: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (bodies, answer, times) = (log.clone(), answer(), Mutex::new(times));
    let server = runtime.block_on(Server::answering(Arc::new(move |_, seen: &Seen| {
        bodies.lock().unwrap().push(seen.body.clone());
        let messages = seen.body["messages"].as_array().unwrap();
        let looks =
            json!({"path": "original_paper.pdf", "page": 1, "question": "What does the figure show?"});
        let next = if messages.iter().any(|message| message["content"].is_array()) {
            let mut times = times.lock().unwrap();
            if *times > 0 {
                *times -= 1;
                return reply(429, "application/json", r#"{"error": {"message": "Slow down."}}"#);
            }
            said(SEEN)
        } else if messages.iter().any(|message| message["role"] == "tool") {
            said(&answer)
        } else {
            calling(&[("a", "look_at_image", &looks.to_string())])
        };
        answered(Dialect::Chat.body(&next))
    })));
    (runtime, server.address, log)
}

fn run(place: &Place, base: &str, more: &[&str]) -> super::support::Called {
    let arguments = [
        "run",
        "slope",
        "--stages",
        "extract..extract",
        "--approve",
        "auto",
        "--out",
        "out",
    ];
    let mut command = place.command(&[&arguments[..], more].concat());
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", base);
    called(command.output().unwrap())
}

fn tools(body: &Value) -> Vec<&str> {
    let listed = body["tools"].as_array().into_iter().flatten();
    listed
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect()
}

fn finished(place: &Place) -> Value {
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let event = journal
        .lines()
        .find(|line| line.contains(r#""kind":"tool_finished""#))
        .unwrap();
    serde_json::from_str::<Value>(event).unwrap()
}

fn part<'a>(value: &'a Value, name: &str) -> &'a Value {
    match value {
        Value::Object(fields) => fields
            .get(name)
            .or_else(|| {
                fields
                    .values()
                    .map(|one| part(one, name))
                    .find(|one| !one.is_null())
            })
            .unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

#[test]
fn a_model_that_sees_looks_at_a_page_and_the_look_replays_without_it() {
    let (runtime, address, log) = provider();
    let place = Place::new();
    place.study();
    let base = format!("http://{address}/v1");
    let called = run(
        &place,
        &base,
        &["--model", "openai/gpt-4o", "--record", "looked.json"],
    );
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let bodies = log.lock().unwrap().clone();
    assert_eq!(bodies.len(), 3);
    assert!(tools(&bodies[0]).contains(&"look_at_image"));
    let look = &bodies[1];
    assert!(tools(look).is_empty());
    let url = look["messages"][1]["content"][1]["image_url"]["url"]
        .as_str()
        .unwrap();
    assert!(
        url.starts_with("data:image/png;base64,iVBORw0KGgo"),
        "{:.60}",
        url
    );
    let told = bodies[2]["messages"].as_array().unwrap().last().unwrap();
    assert!(told["content"].as_str().unwrap().starts_with(SEEN), "{told}");

    let event = finished(&place);
    let looked = part(&event, "looked");
    assert_eq!(looked["model"], "openai/gpt-4o");
    assert_eq!(looked["media"], "image/png");
    assert_eq!(looked["usage"]["input"], 10);
    let digest = looked["picture"].to_string();
    assert!(digest.contains("sha256:"), "kept by digest: {digest:.200}");

    drop(runtime);
    let replayed = super::support::called(place.command(&["replay", "out"]).output().unwrap());
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);

    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    let recorded = run(&place, &base, &["--model", "recorded:looked.json"]);
    assert_eq!(recorded.status, 0, "{}{}", recorded.stdout, recorded.stderr);
    let again = finished(&place);
    assert_eq!(part(&again, "observation"), part(&event, "observation"));
    assert!(!part(&again, "observation").is_null());
}

#[test]
fn without_a_model_that_sees_the_tool_is_not_there_and_a_second_model_can_look() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    place.study();
    let base = format!("http://{address}/v1");
    let model = format!("openai-api/{address}/v1/blind");
    let blind = run(&place, &base, &["--model", &model]);
    assert_eq!(blind.status, 0, "{}{}", blind.stdout, blind.stderr);
    {
        let bodies = log.lock().unwrap();
        assert_eq!(bodies.len(), 2, "nobody looked");
        assert!(!tools(&bodies[0]).contains(&"look_at_image"));
        let told = bodies[1]["messages"].as_array().unwrap().last().unwrap();
        assert!(
            told["content"]
                .as_str()
                .unwrap()
                .contains("there is no tool `look_at_image`")
        );
    }
    log.lock().unwrap().clear();
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    let guided = run(
        &place,
        &base,
        &["--model", &model, "--vision-model", "openai/gpt-4o"],
    );
    assert_eq!(guided.status, 0, "{}{}", guided.stdout, guided.stderr);
    let bodies = log.lock().unwrap();
    let models: Vec<_> = bodies
        .iter()
        .map(|body| body["model"].as_str().unwrap())
        .collect();
    assert_eq!(models, ["blind", "gpt-4o", "blind"]);
    assert_eq!(part(&finished(&place), "looked")["model"], "openai/gpt-4o");
}

#[test]
fn what_a_second_model_waits_for_is_said() {
    let (_runtime, address, log) = busy_provider(1);
    let place = Place::new();
    place.study();
    let models = ["--model", "openai/gpt-4.1", "--vision-model", "openai/gpt-4o"];
    let called = run(&place, &format!("http://{address}/v1"), &models);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let bodies = log.lock().unwrap();
    let looks = bodies.iter().filter(|body| body["model"] == "gpt-4o");
    assert_eq!(looks.count(), 2);
    assert!(
        called.stderr.contains("waiting for the provider") && called.stderr.contains("Slow down."),
        "{}",
        called.stderr
    );
}

#[test]
fn a_second_model_looks_out_of_the_runs_purse_and_at_its_own_price() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    place.study();
    let base = format!("http://{address}/v1");
    let models = ["--model", "openai/gpt-4.1", "--vision-model", "openai/gpt-4o"];
    let stopped = run(&place, &base, &[&models[..], &["--max-turns", "2"]].concat());
    assert_eq!(stopped.status, 6, "{}{}", stopped.stdout, stopped.stderr);
    assert!(
        stopped.stdout.contains("2 turns used of 2 turns"),
        "{}",
        stopped.stdout
    );
    assert_eq!(log.lock().unwrap().len(), 2, "a turn and a look");
    let resume = |turns: &str| {
        let mut command = place.command(&["resume", "out", "--max-turns", turns]);
        command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", &base);
        called(command.output().unwrap())
    };
    assert_eq!(
        resume("2").status,
        6,
        "the look counts when the journal is read again"
    );
    assert_eq!(log.lock().unwrap().len(), 2);
    let done = resume("3");
    assert_eq!(done.status, 0, "{}{}", done.stdout, done.stderr);
    assert_eq!(log.lock().unwrap().len(), 3);

    let cost = place.call(&["show", "cost", "out", "--json"]);
    let total = serde_json::from_str::<Value>(&cost.stdout).unwrap()["total"].clone();
    let looked = part(&finished(&place), "looked")["usage"].clone();
    let count = |usage: &Value, name: &str| usage[name].as_u64().unwrap();
    assert_eq!(total["calls"], 3);
    let own = |name: &str| count(&total["usage"], name) - count(&looked, name);
    // The server counts ten tokens for a long text, which is not believed, and for a picture, which is.
    assert_eq!(count(&looked, "input"), 10);
    assert!(own("input") > 2_000, "{total}");
    // Millionths of a dollar: 2 and 8 a token for the one, 2.5 and 10 for the other.
    let (input, cached) = (own("input"), own("cached"));
    let first = (10 * (2 * (input - cached) + 8 * own("output")) + 5 * cached).div_ceil(10);
    let uncached = count(&looked, "input") - count(&looked, "cached");
    let second = (100 * (25 * uncached + 100 * count(&looked, "output"))
        + 125 * 10 * count(&looked, "cached"))
    .div_ceil(1000);
    assert_eq!(total["money"], first + second);
}
