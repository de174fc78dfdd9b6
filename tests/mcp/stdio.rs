//! A client over standard input and output, by hand.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::Place;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server under way, with the client that started it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Everything that the server has said.
    pub heard: Vec<Value>,
    next: u64,
    /// What every request carries besides its parameters.
    meta: Value,
}

impl Client {
    /// A client that has shaken hands as of 2025-11-25.
    pub fn connect(place: &Place, further: &[&str]) -> Self {
        let mut client = Self::start(place, further);
        let hello = client.initialize();
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        client
    }

    /// A client that has asked as of 2026-07-28 what there is.
    pub fn discover(place: &Place) -> Self {
        let mut client = Self::start(place, &[]);
        client.meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "by-hand", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        client
    }

    pub fn start(place: &Place, further: &[&str]) -> Self {
        let words = place.served(further);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = place
            .command(&words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (said, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let line = line.unwrap();
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if said.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            messages,
            heard: Vec::new(),
            next: 0,
            meta: json!({}),
        }
    }

    pub fn initialize(&mut self) -> Value {
        let hello = self.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "by-hand", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        hello
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Asks, and returns the id of the request.
    pub fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(meta) = self.meta.as_object().filter(|meta| !meta.is_empty()) {
            let mut meta = meta.clone();
            meta.extend(params["_meta"].as_object().cloned().unwrap_or_default());
            params["_meta"] = Value::Object(meta);
        }
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// The next message of the server's.
    pub fn hear(&mut self) -> Value {
        let message = self
            .messages
            .recv_timeout(PATIENCE)
            .expect("the server says nothing");
        self.heard.push(message.clone());
        message
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool, and returns its result.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Runs a command, and returns its structured result.
    pub fn bash(&mut self, command: &str) -> Value {
        let mut result = self.tool("bash", json!({ "command": command }));
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].take()
    }

    /// Ends as clients do, and returns the exit code.
    pub fn leave(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }

    /// Kills the server.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until something holds.
    pub fn until(what: &str, holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "{what}");
            crate::need::pause();
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Where a test fails, nothing is left that serves.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
