//! A scoring that is killed, and goes on where it was.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use super::given::finished;
use crate::need::PATIENCE;
use crate::support::{called, tree};

/// A judge on loopback that answers a number of calls and then only listens.
struct Server {
    address: String,
    /// Calls that may yet be answered.
    left: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    /// The last call's body.
    last: Arc<Mutex<String>>,
    /// Told of each call that is not answered.
    waiting: mpsc::Receiver<()>,
}

impl Server {
    fn start(left: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (left, answered) = (Arc::new(AtomicUsize::new(left)), Arc::new(AtomicUsize::new(0)));
        let (tell, waiting) = mpsc::channel();
        let (may, done) = (left.clone(), answered.clone());
        let last: Arc<Mutex<String>> = Arc::default();
        let body = last.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (may, done, tell, body) = (may.clone(), done.clone(), tell.clone(), body.clone());
                std::thread::spawn(move || serve(stream.unwrap(), (&may, &done), &tell, &body));
            }
        });
        Self {
            address,
            left,
            answered,
            last,
            waiting,
        }
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }
}

fn serve(
    mut stream: TcpStream,
    (left, answered): (&AtomicUsize, &AtomicUsize),
    tell: &mpsc::Sender<()>,
    last: &Mutex<String>,
) {
    while let Some(asked) = read_request(&mut stream) {
        last.lock().unwrap().clone_from(&asked);
        let may = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if may.is_err() {
            // The call stays open until the other side goes away.
            tell.send(()).unwrap();
            let _ = stream.read(&mut [0]);
            return;
        }
        answered.fetch_add(1, Ordering::SeqCst);
        let reply = reply(&asked);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            reply.len()
        );
        if stream.write_all(format!("{head}{reply}").as_bytes()).is_err() {
            return;
        }
    }
}

/// Marks for the claim, or for the checkpoints that code leaves to a judge.
fn reply(asked: &str) -> String {
    let mark = |score: u8| json!({"score": score, "evidence": "q", "explanation": "close"});
    let marks = match asked.contains("claim.hypotheses") {
        true => json!({"claim.hypotheses": mark(2), "claim.statement": mark(2)}),
        false => json!({"1.2": mark(1), "1.3.1": mark(1)}),
    };
    let message = json!({"role": "assistant", "content": marks.to_string()});
    if asked.contains(r#""model":"uncounted""#) {
        return json!({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).to_string();
    }
    json!({
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    })
    .to_string()
}

/// The body of one whole request; `None` when the connection ends.
fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut seen = Vec::new();
    let mut chunk = [0; 16 << 10];
    let end = loop {
        if let Some(at) = seen.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        seen.extend_from_slice(&chunk[..read]);
    };
    let head = String::from_utf8_lossy(&seen[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while seen.len() < end + length {
        let read = stream.read(&mut chunk).ok().filter(|read| *read > 0)?;
        seen.extend_from_slice(&chunk[..read]);
    }
    Some(String::from_utf8_lossy(&seen[end..]).into_owned())
}

#[test]
fn no_answered_call_is_repeated_after_a_kill() {
    let place = finished();
    let before = tree(&place.path().join("out"));
    let server = Server::start(2);
    let judge = format!("openai-api/{}/v1/judge", server.address);
    let arguments = ["score", "out", "--judge", &judge, "--repeats", "3", "--json"];
    let mut child = place
        .command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.waiting.recv_timeout(PATIENCE).unwrap();
    // Two of six gradings are answered, and the third is asked for.
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(server.answered(), 2);

    server.left.store(usize::MAX, Ordering::SeqCst);
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(server.answered(), 6, "an answered call was repeated");
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    let card = &value["runs"][0]["judges"][0];
    let field = &card["stages"][0]["against"][0]["grading"]["fields"][0];
    assert_eq!(
        (&field["mark"], field["given"].as_array().unwrap().len()),
        (&json!(2), 3)
    );
    let folder = place.path().join("out").join(card["folder"].as_str().unwrap());
    let calls = std::fs::read_to_string(folder.join("calls.jsonl")).unwrap();
    assert_eq!(calls.lines().count(), 6);

    // What the killed process paid for counts against the budget of the next.
    let capped = [&arguments[..], &["--judge-tokens", "6600"]].concat();
    assert_eq!(place.call(&capped).status, 0);
    let more = [
        "score",
        "out",
        "--judge",
        &judge,
        "--repeats",
        "5",
        "--judge-tokens",
        "6600",
    ];
    let told = place.call(&more).stdout;
    assert!(
        told.contains("6600 tokens of its budget of 6600 tokens are spent;"),
        "{told}"
    );
    assert_eq!(server.answered(), 6);

    // Nobody knows what this model costs, so no dollars can be kept.
    let unknown = ["score", "out", "--judge", &judge, "--judge-dollars", "1"];
    let unknown = place.call(&unknown);
    assert_ne!(unknown.status, 0);
    assert!(
        unknown.stderr.contains("cap the tokens instead"),
        "{}",
        unknown.stderr
    );

    // Another judge asks for itself, and leaves the run and the first judge's files alone.
    let first = tree(&folder);
    let other = format!("openai-api/{}/v1/other", server.address);
    let called = place.call(&["score", "out", "--judge", &other, "--repeats", "1"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert_eq!(server.answered(), 8);
    assert!(tree(&folder) == first, "the first judge's files were touched");
    let after = tree(&place.path().join("out"));
    for one in before.iter().filter(|one| one.0 != "scores.json") {
        assert!(after.contains(one), "{} of the run was touched", one.0);
    }
}

#[test]
fn a_scoring_that_is_stopped_says_how_to_go_on() {
    let place = finished();
    let server = Server::start(2);
    let judge = format!("openai-api/{}/v1/judge", server.address);
    let arguments = ["score", "out", "--judge", &judge, "--repeats", "3"];
    let child = place
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    server.waiting.recv_timeout(PATIENCE).unwrap();
    // What Ctrl-C sends.
    let process = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGINT).unwrap();
    let called = called(child.wait_with_output().unwrap());
    assert_eq!(
        (called.status, called.stdout.as_str()),
        (130, ""),
        "{}",
        called.stderr
    );
    assert_eq!(called.stderr.lines().count(), 1, "{}", called.stderr);
    assert!(
        called.stderr.starts_with("Stopped after 0 of 1 runs.")
            && called.stderr.contains("the same command goes on from there"),
        "{}",
        called.stderr
    );
    server.left.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(place.call(&arguments).status, 0);
    assert_eq!(server.answered(), 6, "an answered call was repeated");
}

#[test]
fn an_answer_at_another_temperature_is_another_answer() {
    let place = finished();
    let server = Server::start(usize::MAX);
    let judge = format!("openai-api/{}/v1/judge", server.address);
    let score = |more: &[&str]| {
        let all = [
            &["score", "out", "--judge", &judge, "--repeats", "1", "--json"],
            more,
        ]
        .concat();
        let called = place.call(&all);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let value: Value = serde_json::from_str(&called.stdout).unwrap();
        let body: Value = serde_json::from_str(&server.last.lock().unwrap()).unwrap();
        (
            value["runs"][0]["judges"][0]["sampling"].clone(),
            body,
            server.answered(),
        )
    };
    let (sampling, body, asked) = score(&[]);
    assert_eq!((sampling, asked), (json!({}), 2));
    assert!(body.get("temperature").is_none() && body.get("seed").is_none());
    let cold = ["--judge-temperature", "0", "--judge-seed", "7"];
    let (sampling, body, asked) = score(&cold);
    assert_eq!((sampling, asked), (json!({"temperature": 0.0, "seed": 7}), 4));
    assert_eq!((&body["temperature"], &body["seed"]), (&json!(0.0), &json!(7)));
    let (.., asked) = score(&cold);
    assert_eq!(asked, 4, "an answered call was repeated");
    // A recording says what it says, and is named.
    super::given::judge(&place, "a.json", json!({}));
    let told = super::given::graded(&place, &["scripted:./a.json"], &["--judge-temperature", "0.5"]);
    assert!(
        told.stderr.contains("asked without `--judge-temperature 0.5`"),
        "{}",
        told.stderr
    );
}

#[test]
fn a_judge_that_nobody_counts_is_held_to_its_budget_by_estimates() {
    let place = finished();
    let server = Server::start(usize::MAX);
    let judge = format!("openai-api/{}/v1/uncounted", server.address);
    let whole = place.call(&["score", "out", "--judge", &judge, "--repeats", "1", "--json"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let value: Value = serde_json::from_str(&whole.stdout).unwrap();
    let usage = &value["runs"][0]["judges"][0]["cost"]["usage"];
    let count = |name: &str| usage[name].as_u64().unwrap();
    assert!(count("estimated") > 1_000, "{usage}");
    assert_eq!(count("estimated"), count("input") + count("output"));
    // What was estimated is spent: the kept answers are read, and nothing more is asked.
    let asked = server.answered();
    let spent = count("estimated").to_string();
    let more = [
        "score",
        "out",
        "--judge",
        &judge,
        "--repeats",
        "3",
        "--judge-tokens",
        &spent,
    ];
    let told = place.call(&more).stdout;
    assert!(
        told.contains(&format!("of its budget of {spent} tokens")),
        "{told}"
    );
    assert_eq!(server.answered(), asked);
}

#[test]
fn a_judge_costs_what_the_users_table_says() {
    let place = finished();
    let server = Server::start(usize::MAX);
    let judge = format!("openai-api/{}/v1/judge", server.address);
    let table = format!(
        "version = 1\n[models.\"{judge}\"]\nprice = {{ input = 1.0, cached = 0.5, output = 10.0 }}\n"
    );
    std::fs::write(place.path().join("models.toml"), table).unwrap();
    let mut command = place.command(&["score", "out", "--judge", &judge, "--repeats", "1", "--json"]);
    let scored = called(command.env("REPRISE_MODELS", "models.toml").output().unwrap());
    assert_eq!(scored.status, 0, "{}", scored.stderr);
    let value: Value = serde_json::from_str(&scored.stdout).unwrap();
    let cost = &value["runs"][0]["judges"][0]["cost"];
    // Two answers of 1000 tokens in and 100 out.
    assert_eq!((&cost["calls"], &cost["money"]), (&json!(2), &json!(4_000)));
}
