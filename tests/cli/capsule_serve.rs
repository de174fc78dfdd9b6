//! Episodes of capsules over HTTP and over a WebSocket, by a client of our own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use super::support::Place;

fn sunspots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots/task.json")
}

/// The right answers, as the task file has them.
pub fn right() -> Value {
    let text = std::fs::read_to_string(sunspots()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[0]["results"][0].clone()
}

/// A server under way; it is stopped as a person stops it.
pub struct Serving {
    child: Child,
    pub address: String,
    token: String,
}

impl Serving {
    pub fn start(place: &Place, further: &[&str]) -> Self {
        let tasks = sunspots();
        let arguments = [
            &[
                "capsule",
                "serve",
                tasks.to_str().unwrap(),
                "--port",
                "0",
                "--json",
                "--sandbox",
                "local",
            ],
            further,
        ];
        let mut child = place
            .command(&arguments.concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap());
        let told: Value = loop {
            assert_ne!(lines.read_line(&mut said).unwrap(), 0, "{said}");
            if let Ok(told) = serde_json::from_str(&said) {
                break told;
            }
        };
        Self {
            child,
            address: told["address"].as_str().unwrap().replace("http://", ""),
            token: told["token"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask("POST", path, &self.token, body)
    }

    fn socket(&self) -> WebSocket<TcpStream> {
        let mut request = format!("ws://{}/ws", self.address).into_client_request().unwrap();
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.headers_mut().insert("Authorization", bearer);
        tungstenite::client(request, TcpStream::connect(&self.address).unwrap())
            .unwrap()
            .0
    }

    pub fn stop(mut self) {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Where a test fails, nothing is left that listens.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kinds of the events of an episode's run.
fn events(run: &Path) -> Vec<String> {
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
    let kind = |line: &str| serde_json::from_str::<Value>(line).unwrap()["event"]["kind"].clone();
    journal
        .lines()
        .map(|line| kind(line).as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_episode_is_carried_by_requests_and_journaled_as_a_run() {
    let place = Place::new();
    let serving = Serving::start(&place, &["--warm", "1", "--out", "episodes"]);
    assert_eq!(serving.ask("GET", "/health", "", &Value::Null).0, 200);
    assert!(serving.ask("GET", "/schema", "", &Value::Null).1["action"]["properties"]["command"].is_object());
    // Nobody begins an episode without the token.
    for token in ["", "x", &serving.token[1..]] {
        assert_eq!(serving.ask("POST", "/reset", token, &json!({})).0, 401);
    }
    let (status, begun) = serving.post("/reset", &json!({ "task_id": "capsule-9000001" }));
    assert_eq!(
        (status, &begun["done"], &begun["reward"]),
        (200, &json!(false), &Value::Null)
    );
    let observation = &begun["observation"];
    assert_eq!(observation["questions"].as_array().unwrap().len(), 6);
    assert!(observation["text"].as_str().unwrap().contains("sunspots.py"));
    let episode = observation["episode_id"].as_str().unwrap();
    let step = |action: Value| serving.post("/step", &json!({ "episode_id": episode, "action": action }));
    step(json!({ "command": "X=7; cd environment" }));
    let (_, told) = step(json!({ "command": "echo $X; basename $PWD" }));
    let text = told["observation"]["text"].as_str().unwrap();
    assert!(text.starts_with("7\nenvironment\n[exit status 0]"), "{text}");
    let (_, running) = step(json!({ "command": "sleep 600", "seconds": 1 }));
    assert!(
        running["observation"]["text"]
            .as_str()
            .unwrap()
            .contains("still runs"),
        "{running}"
    );
    step(json!({ "control": "interrupt" }));
    // An act that is none changes nothing.
    for action in [
        json!({}),
        json!({ "command": "a", "report": {} }),
        json!({ "command": 1 }),
        json!("ls"),
    ] {
        assert_eq!(step(action).0, 422);
    }
    let state = serving
        .ask(
            "GET",
            &format!("/state?episode_id={episode}"),
            &serving.token,
            &Value::Null,
        )
        .1;
    assert_eq!(
        state,
        json!({ "episode_id": episode, "step_count": 4, "done": false })
    );
    let mut answers = right();
    answers["Report the mean number of sunspots."] = json!(49.76);
    let submit = |answers: &Value| {
        serving
            .post("/submit", &json!({ "episode_id": episode, "report": answers }))
            .1
    };
    // A report that is not in form is handed back once.
    let handed_back = submit(&json!({ "Report the mean number of sunspots.": 49.752104 }));
    assert_eq!(
        (&handed_back["done"], &handed_back["reward"]),
        (&json!(false), &Value::Null)
    );
    let over = submit(&answers);
    assert_eq!(
        (&over["done"], &over["reward"]),
        (&json!(true), &json!(0.0)),
        "one answer is wrong"
    );
    assert_eq!(step(json!({ "command": "ls" })).0, 409);
    serving.stop();
    let number = episode.rsplit('-').next().unwrap();
    let run = place
        .path()
        .join(format!("episodes/capsule-9000001-hard/episode-{number}"));
    let kinds = events(&run);
    assert_eq!(kinds.iter().filter(|kind| *kind == "tool_finished").count(), 6);
    assert_eq!(kinds.last().unwrap(), "run_graded");
    let shown = place.call(&["show", run.to_str().unwrap()]);
    assert!(
        shown.stdout.contains("score 0.833 (6 of 6 parts scored"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_socket_has_one_episode_after_another() {
    let place = Place::new();
    let serving = Serving::start(&place, &["--warm", "0", "--episodes", "1", "--queue-time", "1"]);
    let mut socket = serving.socket();
    let say = |socket: &mut WebSocket<TcpStream>, message: Value| -> Value {
        socket.send(Message::text(message.to_string())).unwrap();
        serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap()
    };
    let code = |answer: &Value| answer["data"]["code"].as_str().unwrap_or_default().to_owned();
    let early = say(
        &mut socket,
        json!({ "type": "step", "data": { "command": "ls" } }),
    );
    assert_eq!(code(&early), "SESSION_ERROR");
    assert_eq!(
        code(&say(&mut socket, json!({ "type": "dance" }))),
        "UNKNOWN_TYPE"
    );
    socket.send(Message::text("{")).unwrap();
    let torn: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
    assert_eq!(code(&torn), "INVALID_JSON");
    let unknown = say(
        &mut socket,
        json!({ "type": "reset", "data": { "task_id": "capsule-0000000" } }),
    );
    assert_eq!(code(&unknown), "VALIDATION_ERROR");
    let begun = say(&mut socket, json!({ "type": "reset", "data": {} }));
    assert_eq!(
        (&begun["type"], &begun["data"]["done"]),
        (&json!("observation"), &json!(false))
    );
    // There is a place for one alone.
    let mut second = serving.socket();
    let full = say(&mut second, json!({ "type": "reset", "data": {} }));
    assert_eq!(code(&full), "CAPACITY_REACHED");
    let told = say(
        &mut socket,
        json!({ "type": "step", "data": { "command": "echo hello" } }),
    );
    assert!(
        told["data"]["observation"]["text"]
            .as_str()
            .unwrap()
            .contains("hello\n")
    );
    // A client that asks whether the server lives is answered while a command runs.
    let long = json!({ "type": "step", "data": { "command": "sleep 2; echo awake" } });
    socket.send(Message::text(long.to_string())).unwrap();
    socket.send(Message::Ping(vec![7_u8].into())).unwrap();
    assert!(socket.read().unwrap().is_pong());
    let awake = socket.read().unwrap();
    assert!(awake.to_text().unwrap().contains("awake\\n"), "{awake}");
    assert_eq!(
        say(&mut socket, json!({ "type": "state" }))["data"]["step_count"],
        2
    );
    let over = say(
        &mut socket,
        json!({ "type": "step", "data": { "report": right() } }),
    );
    assert_eq!(
        (&over["data"]["done"], &over["data"]["reward"]),
        (&json!(true), &json!(1.0))
    );
    // A reset takes the place of the episode before it.
    let again = say(&mut socket, json!({ "type": "reset", "data": {} }));
    assert_eq!(again["data"]["done"], json!(false), "{again}");
    // A client that asks on without a reply is not given that reply as the answer to something else.
    for command in ["sleep 1; echo one", "echo two"] {
        let step = json!({ "type": "step", "data": { "command": command } });
        socket.send(Message::text(step.to_string())).unwrap();
    }
    let ended: Value = serde_json::from_str(socket.read().unwrap().to_text().unwrap()).unwrap();
    assert_eq!(code(&ended), "SESSION_ERROR", "{ended}");
    let after = say(&mut socket, json!({ "type": "reset", "data": {} }));
    assert_eq!(after["data"]["done"], json!(false), "{after}");
    socket
        .send(Message::text(json!({ "type": "close" }).to_string()))
        .unwrap();
    serving.stop();
}

#[test]
fn an_episode_has_no_agent_but_its_trainer() {
    let place = Place::new();
    let tasks = sunspots();
    let called = place.call(&[
        "capsule",
        "serve",
        tasks.to_str().unwrap(),
        "--agent",
        "core-agent",
    ]);
    assert_eq!(called.status, 2, "{}", called.stderr);
    for part in [
        "the trainer that steps through it",
        "capsule run --agent core-agent",
    ] {
        assert!(called.stderr.contains(part), "{}", called.stderr);
    }
}
