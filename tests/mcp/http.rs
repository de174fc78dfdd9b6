//! A run over HTTP: who may ask, and what outlasts a connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::place::{Place, right};

/// A server under way; it is stopped as a person stops it.
struct Serving {
    child: Child,
    address: String,
    token: String,
}

/// An answer over HTTP.
struct Answer {
    status: u16,
    session: Option<String>,
    /// The message of JSON-RPC that it ends with.
    message: Value,
    text: String,
}

impl Serving {
    fn start(place: &Place, further: &[&str]) -> Self {
        let words = place.served(&[&["--http", "127.0.0.1:0", "--json"], further].concat());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = place.command(&words);
        let mut child = command
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
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
        let url = told["url"].as_str().unwrap();
        Self {
            child,
            address: url
                .strip_prefix("http://")
                .unwrap()
                .strip_suffix("/mcp")
                .unwrap()
                .to_owned(),
            token: told["token"].as_str().unwrap().to_owned(),
        }
    }

    /// A message with these headers besides those that every message has.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let usual = [
            ("Host", self.address.as_str()),
            ("Authorization", bearer.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in usual.iter().filter(|(name, _)| !is_given(name)).chain(headers) {
            if !value.is_empty() {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // One that is turned away before it is read may be cut off.
        let _ = stream.write_all(body.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        Answer::read(&String::from_utf8_lossy(&text))
    }

    /// Shakes hands as of 2025-11-25, and returns the session.
    fn session(&self) -> String {
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "by-hand", "version": "1" } } });
        let answer = self.post(&[], &hello.to_string());
        assert_eq!(
            answer.message["result"]["protocolVersion"], "2025-11-25",
            "{}",
            answer.text
        );
        let session = answer.session.unwrap();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(
            self.post(&[("Mcp-Session-Id", &session)], &ready.to_string())
                .status,
            202
        );
        session
    }

    /// Calls a tool in a session.
    fn tool(&self, session: &str, name: &str, arguments: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": { "name": name, "arguments": arguments } });
        let headers = [
            ("Mcp-Session-Id", session),
            ("Mcp-Protocol-Version", "2025-11-25"),
        ];
        let mut answer = self.post(&headers, &call.to_string());
        assert!(answer.message["result"].is_object(), "{}", answer.text);
        answer.message["result"].take()
    }

    /// Calls a tool as of 2026-07-28, in no session.
    fn stateless(&self, name: &str, arguments: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call",
            "params": { "name": name, "arguments": arguments, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "by-hand", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {} } } });
        let headers = [
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        let mut answer = self.post(&headers, &call.to_string());
        assert!(answer.message["result"].is_object(), "{}", answer.text);
        answer.message["result"].take()
    }

    fn stop(mut self) -> Option<i32> {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let header = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            let mut found = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name));
            found.next().map(|(_, value)| value.to_owned())
        };
        // Events and documents alike: the last line that is a message. Chunks end with their lines.
        let messages = body
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut message = messages.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Self {
            status: head
                .split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            session: header("mcp-session-id"),
            message: message.rfind(Value::is_object).unwrap_or(Value::Null),
            text: text.to_owned(),
        }
    }
}

#[test]
fn only_who_knows_the_token_asks_and_no_page_of_a_browser_does() {
    let Some(place) = Place::new() else { return };
    let serving = Serving::start(&place, &["--token-file", "token"]);
    assert_eq!(
        std::fs::read_to_string(place.path().join("token"))
            .unwrap()
            .trim(),
        serving.token
    );
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let port = serving.address.rsplit(':').next().unwrap();
    let (other_port, shorter) = (
        format!("127.0.0.1:{}", port.parse::<u16>().unwrap() ^ 1),
        &serving.token[1..],
    );
    for (status, headers) in [
        (401, vec![("Authorization", "")]),
        (401, vec![("Authorization", "Bearer x")]),
        (401, vec![("Authorization", serving.token.as_str())]),
        (401, vec![("Authorization", shorter)]),
        (403, vec![("Host", "example.org")]),
        (403, vec![("Host", other_port.as_str())]),
        (403, vec![("Origin", "http://example.org")]),
        (403, vec![("Origin", "null")]),
        (403, vec![("Origin", "http://127.0.0.1")]),
        (415, vec![("Content-Type", "text/plain")]),
        (404, vec![("Mcp-Session-Id", "none-of-ours")]),
    ] {
        let answer = serving.post(&headers, &list);
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.text);
    }
    let session = serving.session();
    let huge = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "bash", "arguments": { "command": "x".repeat(2 << 20) } } });
    assert_eq!(
        serving
            .post(&[("Mcp-Session-Id", &session)], &huge.to_string())
            .status,
        413
    );
    assert_eq!(
        serving.tool(&session, "task", json!({}))["structuredContent"]["turn"],
        0
    );
    assert_eq!(serving.stop(), Some(130));
    for address in ["0.0.0.0:0", "192.0.2.1:80"] {
        let words = place.served(&["--http", address]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = place.call(&words);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("127.0.0.1"));
    }
}

#[test]
fn the_state_is_the_runs_and_no_connections() {
    let Some(place) = Place::new() else { return };
    let serving = Serving::start(&place, &[]);
    let text = |result: &Value| result["structuredContent"]["text"].as_str().unwrap().to_owned();
    let first = serving.session();
    serving.tool(&first, "bash", json!({ "command": "X=5" }));
    let second = serving.session();
    assert_ne!(first, second);
    let kept = serving.tool(&second, "bash", json!({ "command": "echo $X" }));
    assert!(text(&kept).starts_with("5\n"), "{kept}");
    let kept = serving.stateless("bash", json!({ "command": "echo $((X + 1))" }));
    assert!(
        text(&kept).starts_with("6\n") && kept["resultType"] == "complete",
        "{kept}"
    );
    // One that hangs up in the middle, as of 2026-07-28, has cancelled.
    let taken = serving.stateless("submit", json!({ "answers": right() }));
    assert_eq!(taken["structuredContent"]["accepted"], true, "{taken}");
    let late = serving.tool(&first, "bash", json!({ "command": "ls" }));
    assert!(
        late["isError"] == true && text(&late).contains("is over"),
        "{late}"
    );
    assert_eq!(serving.stop(), Some(0));
    assert_eq!(place.acts().len(), 3);
    assert_eq!(place.events("run_graded").len(), 1);
}
