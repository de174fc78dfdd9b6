//! A provider on loopback that answers each turn of an attempt from a recording, and counts what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

pub struct Model {
    port: u16,
    /// The turns that were answered, in the order in which they were asked for.
    answered: Arc<Mutex<Vec<usize>>>,
}

impl Model {
    pub fn start(recording: &Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answered: Arc<Mutex<Vec<usize>>> = Arc::default();
        let stages = recording["stages"].as_object().unwrap();
        let stage = stages.values().next().unwrap();
        let turns = stage["turns"].as_array().unwrap().clone();
        let kept = answered.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever was killed is answered in vain.
                let _ = serve(stream, &turns, &kept);
            }
        });
        Self { port, answered }
    }

    pub fn name(&self) -> String {
        format!("openai-api/127.0.0.1:{}/v1/scripted", self.port)
    }

    pub fn answered(&self) -> Vec<usize> {
        self.answered.lock().unwrap().clone()
    }
}

fn serve(stream: TcpStream, turns: &[Value], answered: &Mutex<Vec<usize>>) -> std::io::Result<()> {
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
    let messages = body["messages"].as_array().unwrap().iter();
    let turn = messages.filter(|message| message["role"] == "assistant").count();
    let call = &turns[turn]["answer"]["calls"][0];
    let called = json!([{
        "index": 0, "id": format!("call_{turn}"), "type": "function",
        "function": {"name": call["name"], "arguments": call["arguments"].to_string()},
    }]);
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let chunk = |choices: Value, usage: &Value| {
        let value = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
                           "choices": choices, "usage": usage});
        format!("data: {value}\n\n")
    };
    let delta = json!({"role": "assistant", "content": "", "tool_calls": called});
    let text = chunk(
        json!([{"index": 0, "delta": delta, "finish_reason": null}]),
        &Value::Null,
    ) + &chunk(
        json!([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]),
        &Value::Null,
    ) + &chunk(json!([]), &usage)
        + "data: [DONE]\n\n";
    assert!(body["stream"] == true, "answers are streamed");
    answered.lock().unwrap().push(turn);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    reader.get_mut().write_all((head + &text).as_bytes())
}
