//! A provider on loopback that answers each turn of an attempt from a recording, and counts what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

pub struct Model {
    port: u16,
    /// The turns that were answered, in the order in which they were asked for.
    answered: Arc<Mutex<Vec<usize>>>,
    /// The requests that they were asked for by.
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub fn start(recording: &Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answered: Arc<Mutex<Vec<usize>>> = Arc::default();
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let stages = recording["stages"].as_object().unwrap();
        let stage = stages.values().next().unwrap();
        let turns = stage["turns"].as_array().unwrap().clone();
        let kept = Kept {
            answered: answered.clone(),
            asked: asked.clone(),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever was killed is answered in vain.
                let _ = serve(stream, &turns, &kept);
            }
        });
        Self {
            port,
            answered,
            asked,
        }
    }

    pub fn name(&self) -> String {
        format!("openai-api/127.0.0.1:{}/v1/scripted", self.port)
    }

    pub fn answered(&self) -> Vec<usize> {
        self.answered.lock().unwrap().clone()
    }

    /// The last message of each request.
    pub fn told(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let last = |body: &Value| body["messages"].as_array().unwrap().last().unwrap().clone();
        let text = |message: Value| message["content"].as_str().unwrap_or_default().to_owned();
        asked.iter().map(last).map(text).collect()
    }
}

struct Kept {
    answered: Arc<Mutex<Vec<usize>>>,
    asked: Arc<Mutex<Vec<Value>>>,
}

/// The turn that a request is for: the answers before it stand in messages of their own, or in one text.
fn turn_of(body: &Value, turns: &[Value]) -> usize {
    let messages = body["messages"].as_array().unwrap().iter();
    let before = messages.filter(|message| message["role"] == "assistant");
    match turns[0]["answer"]["text"].is_string() {
        true => before
            .map(|message| {
                message["content"]
                    .as_str()
                    .unwrap()
                    .matches("\nObservation: ")
                    .count()
            })
            .sum(),
        false => before.count(),
    }
}

/// The answer of a turn, as it streams.
fn delta_of(turn: usize, answer: &Value) -> Value {
    if let Some(text) = answer["text"].as_str() {
        return json!({"role": "assistant", "content": text});
    }
    let call = &answer["calls"][0];
    let called = json!([{
        "index": 0, "id": format!("call_{turn}"), "type": "function",
        "function": {"name": call["name"], "arguments": call["arguments"].to_string()},
    }]);
    json!({"role": "assistant", "content": "", "tool_calls": called})
}

fn serve(stream: TcpStream, turns: &[Value], kept: &Kept) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? <= 2 {
            break;
        }
        if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = said.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let turn = turn_of(&body, turns);
    let delta = delta_of(turn, &turns[turn]["answer"]);
    let finish = if delta["tool_calls"].is_array() {
        "tool_calls"
    } else {
        "stop"
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let chunk = |choices: Value, usage: &Value| {
        let value = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
                           "choices": choices, "usage": usage});
        format!("data: {value}\n\n")
    };
    let text = chunk(
        json!([{"index": 0, "delta": delta, "finish_reason": null}]),
        &Value::Null,
    ) + &chunk(
        json!([{"index": 0, "delta": {}, "finish_reason": finish}]),
        &Value::Null,
    ) + &chunk(json!([]), &usage)
        + "data: [DONE]\n\n";
    assert!(body["stream"] == true, "answers are streamed");
    kept.answered.lock().unwrap().push(turn);
    kept.asked.lock().unwrap().push(body);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    reader.get_mut().write_all((head + &text).as_bytes())
}
