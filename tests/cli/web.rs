//! A web on loopback, which the operator opens: a site, search engines, and a
//! model that asks them.

use std::fs;
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::provider::request;
use super::support::{Called, Place, called};

/// Keys that stand nowhere but in requests.
pub const MODEL_KEY: &str = "canary-model-0123456789";
pub const SEARCH_KEY: &str = "canary-search-0123456789";

type Handler = Arc<dyn Fn(&str, &Value) -> (u16, String) + Send + Sync>;

/// A server on loopback; its requests by their lines.
pub struct Server {
    pub port: u16,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start(handler: impl Fn(&str, &Value) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let (kept, handler): (_, Handler) = (lines.clone(), Arc::new(handler));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, handler) = (kept.clone(), handler.clone());
                std::thread::spawn(move || serve(stream, &kept, &handler));
            }
        });
        Self { port, lines }
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, lines: &Mutex<Vec<String>>, handler: &Handler) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some((head, body)) = request(&mut reader) else {
        return;
    };
    let first = head
        .lines()
        .next()
        .unwrap()
        .trim_end_matches(" HTTP/1.1")
        .to_owned();
    let (status, answer) = handler(&first, &body);
    lines.lock().unwrap().push(first);
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    // Whoever only asked for the head may be gone.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(answer.as_bytes()));
}

/// A site with a data page; all else is missing.
fn site() -> Server {
    Server::start(|line, _| match line {
        "GET /data" => (
            200,
            "<html><title>Harvest data</title><p>Plots of wave 2.</p></html>".to_owned(),
        ),
        "HEAD /data" => (200, String::new()),
        _ => (404, "nothing here".to_owned()),
    })
}

/// A SearXNG that finds the site's page and a spoiler.
fn searxng(site: u16) -> Server {
    Server::start(move |_, _| {
        let results = json!([
            { "url": format!("http://127.0.0.1:{site}/data"), "title": "Harvest data", "content": "plots", "publishedDate": "2020-05-06" },
            { "url": "https://spoilers.example.org/report", "title": "How it came out", "content": "unmet" },
        ]);
        (200, json!({ "query": "q", "results": results }).to_string())
    })
}

/// A hosted search that counts its tokens.
pub fn hosted(site: u16) -> Server {
    Server::start(move |_, _| {
        let source =
            json!({ "type": "url", "url": format!("http://127.0.0.1:{site}/data"), "title": "Harvest data" });
        let call = json!({ "type": "web_search_call", "action": { "sources": [source] } });
        let usage = json!({ "input_tokens": 9_000, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 100 });
        (
            200,
            json!({ "status": "completed", "output": [call], "usage": usage }).to_string(),
        )
    })
}

/// A chat model that searches, opens pages, and answers twice.
fn model(site: u16) -> Server {
    Server::start(move |_, request| {
        let messages = request["messages"].as_array().unwrap();
        let turn = messages.iter().filter(|one| one["role"] == "assistant").count();
        let call = |name: &str, arguments: Value| {
            json!({ "id": format!("call_{turn}_{name}"), "type": "function",
                "function": { "name": name, "arguments": arguments.to_string() } })
        };
        let data = format!("http://127.0.0.1:{site}/data");
        let found = json!({ "url": format!("{data}?utm_source=chat"), "name": "Harvest data", "why": "the plots", "kind": "data" });
        let missing =
            json!([{ "what": "Questionnaire", "query": "harvest questionnaire", "why": "nothing found" }]);
        let message = match turn {
            0 => {
                json!({ "role": "assistant", "content": null, "tool_calls": [call("web_search", json!({ "query": "harvest plots" }))] })
            }
            1 => json!({ "role": "assistant", "content": null, "tool_calls": [
                call("fetch_page", json!({ "url": data })),
            ] }),
            2 => json!({ "role": "assistant", "content": null, "tool_calls": [
                call("fetch_page", json!({ "url": "https://spoilers.example.org/report" })),
            ] }),
            // Whatever it is told, it insists on an address of its own making.
            _ => json!({ "role": "assistant", "content": json!({ "urls": [
                found,
                { "url": format!("http://127.0.0.1:{site}/invented/codebook"), "name": "Codebook", "why": "labels" },
            ], "missing": missing }).to_string() }),
        };
        let finish = if turn < 3 { "tool_calls" } else { "stop" };
        let answer = json!({ "id": "x", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
            "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 } });
        (200, answer.to_string())
    })
}

/// A study, a model that searches for it, and the web that it searches.
pub struct World {
    pub place: Place,
    pub site: Server,
    pub engine: Server,
    pub model: Server,
}

impl World {
    pub fn new() -> Self {
        let place = Place::new();
        let study = place.study();
        let manifest = fs::read_to_string(study.join("study.toml")).unwrap();
        let manifest =
            format!("{manifest}\n[web]\nreplication = [\"https://spoilers.example.org/report\"]\n");
        fs::write(study.join("study.toml"), manifest).unwrap();
        let site = site();
        let (engine, model) = (searxng(site.port), model(site.port));
        Self {
            place,
            site,
            engine,
            model,
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command
            .env("REPRISE_PRIVATE_ADDRESSES", "127.0.0.1")
            .env("REPRISE_MODEL_KEY", MODEL_KEY)
            .env("BRAVE_API_KEY", SEARCH_KEY);
        command
    }

    pub fn arguments(&self, search: &str) -> Vec<String> {
        let model = format!("openai-api/127.0.0.1:{}/v1/m", self.model.port);
        [
            "run",
            "slope",
            "--stages",
            "search..search",
            "--approve",
            "auto",
            "--out",
            "out",
            "--model",
            &model,
            "--search",
            search,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    pub fn run(&self, search: &str, variables: &[(&str, &str)]) -> Called {
        let arguments = self.arguments(search);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        called(
            self.command(&arguments)
                .envs(variables.iter().copied())
                .output()
                .unwrap(),
        )
    }

    pub fn searxng(&self) -> String {
        format!("searxng:http://127.0.0.1:{}/", self.engine.port)
    }

    pub fn answer(&self, run: &str) -> Value {
        let file = self.place.path().join(run).join("artifacts/search_results.json");
        serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
    }
}
