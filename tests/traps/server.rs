//! A chat-completions server on loopback that a scripted agent answers through.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::agent::Agent;

/// Serves an agent until the process ends. Returns the port, and something for each time that the
/// run is to be stopped.
pub fn serve(agent: Agent) -> (u16, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let agent = Arc::new(Mutex::new(agent));
    let (stop, stops) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (agent, stop) = (agent.clone(), stop.clone());
            std::thread::spawn(move || connection(stream.unwrap(), &agent, &stop));
        }
    });
    (port, stops)
}

fn connection(mut stream: TcpStream, agent: &Mutex<Agent>, stop: &Sender<()>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(body) = request(&mut reader) {
        let Some((text, calls)) = agent.lock().unwrap().next(&body) else {
            stop.send(()).unwrap();
            // Until whoever asked is gone.
            let _gone = stream.read(&mut [0]);
            return;
        };
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(at, (name, arguments))| {
                json!({"index": at, "id": format!("call-{at}"), "type": "function",
                       "function": {"name": name, "arguments": arguments.to_string()}})
            })
            .collect();
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
        let mut message = json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let usage = json!({"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050});
        let reply = if body["stream"] == true {
            let chunk = |choices: Value, usage: Value| {
                let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1,
                    "model": "scripted", "choices": choices, "usage": usage});
                format!("data: {chunk}\n\n")
            };
            let text = [
                chunk(
                    json!([{"index": 0, "delta": message, "finish_reason": null}]),
                    Value::Null,
                ),
                chunk(
                    json!([{"index": 0, "delta": {}, "finish_reason": finish}]),
                    Value::Null,
                ),
                chunk(json!([]), usage),
                "data: [DONE]\n\n".to_owned(),
            ]
            .concat();
            http("text/event-stream", &text)
        } else {
            let whole = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage});
            http("application/json", &whole.to_string())
        };
        if stream.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

fn http(kind: &str, text: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )
}

fn request(reader: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
