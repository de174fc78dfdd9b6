//! A provider on loopback that answers a run from a recording's answers, in any
//! dialect, with faults in between.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use reprise::domain::conversation::{ChatResponse, Position};
use reprise::domain::reasoning::ReasoningFormat::Messages;
use reprise::domain::reasoning::{Reasoning, Thought};
use reprise::domain::stage::Stage;
use reprise::model::layers::spend_account::LEFT;
use reprise::model::recording::format::Recording;
use serde_json::{Value, json};

use super::support::fixture;

/// The fate of one request instead of, or on the way to, its answer.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A status with a body; `[KEY]` in it becomes the key that was sent, `[ESCAPED]` and
    /// `[PERCENT]` the same as JSON and addresses escape it.
    Status(u16, Vec<(&'static str, &'static str)>, String),
    /// The connection is closed without a word.
    Reset,
    /// Half of a streamed answer is sent, the test is told, and then nothing.
    HalfAnswer,
    /// The answer is streamed and the test is told of nothing.
    None,
}

/// The dialect that the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Anthropic,
    OpenAi,
}

/// A server that ends with the test's process.
pub struct Provider {
    pub port: u16,
    dialect: Dialect,
    seen: Arc<Mutex<Vec<Value>>>,
    keys: Arc<Mutex<BTreeSet<String>>>,
    /// Something for each time that half an answer was sent.
    pub halfway: Receiver<()>,
}

struct Script {
    dialect: Dialect,
    answers: Mutex<VecDeque<ChatResponse>>,
    faults: Mutex<VecDeque<Fault>>,
    halfway: Sender<()>,
    keys: Arc<Mutex<BTreeSet<String>>>,
    /// What is done to the text of each answer.
    rewrite: fn(String) -> String,
    /// In place of answers one after the other: those of runs that go on at once.
    many: Option<ManyRuns>,
}

/// The answers to runs of one study that ask at once: told apart by what their stages are asked.
struct ManyRuns {
    stages: Vec<Vec<ChatResponse>>,
    /// The first message of each stage, in the order in which they were first seen.
    asked: Mutex<Vec<String>>,
    /// Second turns that get half an answer.
    halves: Mutex<usize>,
}

impl ManyRuns {
    fn next(&self, body: &Value) -> Option<(ChatResponse, bool)> {
        let messages = body["messages"].as_array()?;
        let first = match &messages[0]["content"] {
            Value::String(text) => text.clone(),
            parts => parts[0]["text"].as_str()?.to_owned(),
        };
        // Runs with caps are told what is left, which is no part of what they are asked.
        let first = first.split(LEFT).next()?.to_owned();
        let mut asked = self.asked.lock().unwrap();
        let stage = asked.iter().position(|one| *one == first).unwrap_or_else(|| {
            asked.push(first);
            asked.len() - 1
        });
        let turn = messages
            .iter()
            .filter(|message| message["role"] == "assistant")
            .count();
        let mut halves = self.halves.lock().unwrap();
        let is_half = turn == 1 && *halves > 0;
        *halves -= usize::from(is_half);
        Some((self.stages.get(stage)?.get(turn)?.clone(), is_half))
    }
}

impl Provider {
    /// The same as a chat completion, with the text of each answer rewritten.
    pub fn rewriting(rewrite: fn(String) -> String) -> Self {
        Self::with(Dialect::OpenAi, Vec::new(), (false, rewrite), 0, None)
    }

    /// The same as Anthropic, with a signed thought before each answer.
    pub fn thinking(faults: Vec<Fault>) -> Self {
        Self::with(Dialect::Anthropic, faults, (true, identity), 0, None)
    }

    pub fn start(dialect: Dialect, faults: Vec<Fault>) -> Self {
        Self::with(dialect, faults, (false, identity), 0, None)
    }

    /// Offers what is left of the answers where a run has had the first ones.
    pub fn behind(dialect: Dialect, answered: usize) -> Self {
        Self::with(dialect, Vec::new(), (false, identity), answered, None)
    }

    /// The same for runs that ask at once; so many of them get half an answer in their second turn.
    pub fn for_many(dialect: Dialect, halves: usize) -> Self {
        Self::with(dialect, Vec::new(), (false, identity), 0, Some(halves))
    }

    /// Serves the answers of the fixture study's recording. Each request takes
    /// the next fault first; what is not delivered is offered to the next one.
    fn with(
        dialect: Dialect,
        faults: Vec<Fault>,
        (thinks, rewrite): (bool, fn(String) -> String),
        answered: usize,
        halves: Option<usize>,
    ) -> Self {
        let recording = Recording::open(&fixture().join("recordings/native.json")).unwrap();
        let stages = recording.stages.iter().map(|(stage, recorded)| {
            let turns = (0_u32..).zip(&recorded.turns).map(|(turn, one)| {
                let mut answer = one.answer.response(Position { stage: *stage, turn });
                answer.usage.input = 1000 + 100 * u64::from(turn);
                answer.usage.cached = 900;
                answer.usage.output = 50;
                if *stage == Stage::SEARCH && answer.calls.is_empty() {
                    // Without a search engine no address was seen, so none is proposed.
                    let missing =
                        json!({"resource_name": "plots", "search_query": "yield dose plots data", "why": "no search engine"});
                    answer.text = json!({"urls": [], "missing": [missing]}).to_string();
                }
                if thinks {
                    let thought = format!("thought {turn} of {stage}");
                    let item = json!({"type": "thinking", "thinking": thought, "signature": format!("signed {thought}")});
                    let thought = Thought { behind: 0, item };
                    answer.thoughts = Reasoning::new(Messages, vec![thought]).map(Arc::new);
                }
                answer
            });
            turns.collect()
        });
        let stages: Vec<Vec<ChatResponse>> = stages.collect();
        let answers = stages.iter().flatten().skip(answered).cloned();
        let (halfway, told) = channel();
        let keys = Arc::<Mutex<BTreeSet<String>>>::default();
        let script = Arc::new(Script {
            dialect,
            answers: Mutex::new(answers.collect()),
            faults: Mutex::new(faults.into()),
            halfway,
            keys: keys.clone(),
            rewrite,
            many: halves.map(|halves| ManyRuns {
                stages,
                asked: Mutex::default(),
                halves: Mutex::new(halves),
            }),
        });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, log) = (script.clone(), log.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &script, &log));
            }
        });
        Self {
            port,
            dialect,
            seen,
            keys,
            halfway: told,
        }
    }

    /// The bodies of all requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }

    /// The keys that were sent.
    pub fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().iter().cloned().collect()
    }

    /// The model's name, and the variables that lead to this server.
    pub fn model(&self) -> (String, Vec<(&'static str, String)>) {
        let base = format!("http://127.0.0.1:{}", self.port);
        match self.dialect {
            Dialect::Anthropic => (
                "anthropic/claude-sonnet-4-5".to_owned(),
                vec![
                    ("ANTHROPIC_BASE_URL", base),
                    ("ANTHROPIC_API_KEY", KEY.to_owned()),
                ],
            ),
            Dialect::OpenAi => (
                format!("openai-api/127.0.0.1:{}/v1/scripted", self.port),
                vec![("REPRISE_MODEL_KEY", KEY.to_owned())],
            ),
        }
    }
}

/// A secret that must turn up nowhere.
pub const KEY: &str = "sk-canary-7f3a9c51d2e84b60";

fn serve(stream: TcpStream, script: &Script, log: &Mutex<Vec<Value>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some((head, body)) = request(&mut reader) {
        log.lock().unwrap().push(body.clone());
        script.keys.lock().unwrap().extend(key_in(&head));
        let fault = script.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
        if answer(&mut stream, script, &fault, (&head, &body)).is_none() {
            return;
        }
    }
}

/// The head and the body of the next request; `None` where none comes.
pub fn request(reader: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

fn key_in(head: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_key = name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("x-api-key");
        is_key.then(|| value.trim().trim_start_matches("Bearer ").to_owned())
    })
}

/// Whether the connection can go on is `Some`.
fn answer(
    stream: &mut TcpStream,
    script: &Script,
    fault: &Fault,
    (head, body): (&str, &Value),
) -> Option<()> {
    match fault {
        Fault::Reset => return None,
        Fault::Status(status, headers, text) => {
            let key = key_in(head).unwrap_or_default();
            let text = text
                .replace("[KEY]", &key)
                .replace("[ESCAPED]", &key.replace('-', "\\u002d"))
                .replace("[PERCENT]", &key.replace('-', "%2D"));
            let mut reply = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
            for (name, value) in headers {
                reply.push_str(&format!("{name}: {value}\r\n"));
            }
            reply.push_str(&format!("content-length: {}\r\n\r\n{text}", text.len()));
            return stream.write_all(reply.as_bytes()).ok();
        }
        Fault::HalfAnswer | Fault::None => {}
    }
    let (next, is_half) = match &script.many {
        Some(many) => many.next(body)?,
        None => (
            script.answers.lock().unwrap().pop_front()?,
            matches!(fault, Fault::HalfAnswer),
        ),
    };
    let streamed = body["stream"] == true;
    if is_half && script.many.is_some() && !streamed {
        // Of an answer in one piece, half is nothing.
        script.halfway.send(()).ok()?;
        let _gone = stream.read(&mut [0]);
        return None;
    }
    if is_half {
        assert!(streamed, "the answer was to be streamed");
        script.answers.lock().unwrap().push_front(next.clone());
        let text = events(script.dialect, &next);
        let half = &text[..text.len() / 2];
        stream
            .write_all(
                b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
            )
            .ok()?;
        stream
            .write_all(format!("{:x}\r\n{half}\r\n", half.len()).as_bytes())
            .ok()?;
        stream.flush().ok()?;
        script.halfway.send(()).ok()?;
        // Until whoever asked is gone.
        let _gone = stream.read(&mut [0]);
        return None;
    }
    let (kind, text) = if streamed {
        ("text/event-stream", events(script.dialect, &next))
    } else {
        ("application/json", whole(script.dialect, &next).to_string())
    };
    let text = (script.rewrite)(text);
    let reply = format!(
        "HTTP/1.1 200 X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(reply.as_bytes()).ok()
}

fn identity(text: String) -> String {
    text
}

fn parsed(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap()
}

/// An answer in one piece.
fn whole(dialect: Dialect, answer: &ChatResponse) -> Value {
    let usage = answer.usage;
    match dialect {
        Dialect::Anthropic => {
            let thoughts = answer.thoughts.iter().flat_map(|thoughts| &thoughts.items);
            let mut content: Vec<Value> = thoughts.map(|thought| thought.item.clone()).collect();
            if !answer.text.is_empty() {
                content.push(json!({"type": "text", "text": answer.text}));
            }
            for call in &answer.calls {
                content.push(json!({
                    "type": "tool_use", "id": call.id, "name": call.name, "input": parsed(&call.arguments)
                }));
            }
            let stop = if answer.calls.is_empty() {
                "end_turn"
            } else {
                "tool_use"
            };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": content, "stop_reason": stop, "stop_sequence": null,
                "usage": {
                    "input_tokens": usage.input - usage.cached, "cache_read_input_tokens": usage.cached,
                    "cache_creation_input_tokens": 0, "output_tokens": usage.output,
                },
            })
        }
        Dialect::OpenAi => {
            let calls: Vec<Value> = answer
                .calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                           "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            let mut message = json!({"role": "assistant", "content": answer.text});
            if !calls.is_empty() {
                message["tool_calls"] = json!(calls);
            }
            let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
            json!({
                "id": "c1", "object": "chat.completion", "created": 1, "model": "scripted",
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": {
                    "prompt_tokens": usage.input, "completion_tokens": usage.output,
                    "total_tokens": usage.input + usage.output,
                    "prompt_tokens_details": {"cached_tokens": usage.cached},
                },
            })
        }
    }
}

/// An answer as a stream of events.
fn events(dialect: Dialect, answer: &ChatResponse) -> String {
    let mut text = String::new();
    match dialect {
        Dialect::Anthropic => {
            let mut add = |kind: &str, mut data: Value| {
                data["type"] = json!(kind);
                text.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
            };
            let whole = whole(dialect, answer);
            let mut start = whole.clone();
            start["content"] = json!([]);
            start["stop_reason"] = Value::Null;
            start["usage"]["output_tokens"] = json!(1);
            add("message_start", json!({"message": start}));
            for (index, block) in whole["content"].as_array().unwrap().iter().enumerate() {
                let (empty, delta) = match block["type"].as_str().unwrap() {
                    "thinking" => (
                        json!({"type": "thinking", "thinking": "", "signature": block["signature"]}),
                        json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                    ),
                    "text" => (
                        json!({"type": "text", "text": ""}),
                        json!({"type": "text_delta", "text": block["text"]}),
                    ),
                    _ => (
                        json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
                    ),
                };
                add(
                    "content_block_start",
                    json!({"index": index, "content_block": empty}),
                );
                add("content_block_delta", json!({"index": index, "delta": delta}));
                add("content_block_stop", json!({"index": index}));
            }
            add(
                "message_delta",
                json!({"delta": {"stop_reason": whole["stop_reason"], "stop_sequence": null},
                       "usage": {"output_tokens": whole["usage"]["output_tokens"]}}),
            );
            add("message_stop", json!({}));
        }
        Dialect::OpenAi => {
            let whole = whole(dialect, answer);
            let choice = &whole["choices"][0];
            let mut delta = choice["message"].clone();
            if let Some(calls) = delta["tool_calls"].as_array_mut() {
                for (index, call) in calls.iter_mut().enumerate() {
                    call["index"] = json!(index);
                }
            }
            let chunk = |choices: Value, usage: Value| {
                json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
                       "choices": choices, "usage": usage})
            };
            for data in [
                chunk(
                    json!([{"index": 0, "delta": delta, "finish_reason": null}]),
                    Value::Null,
                ),
                chunk(
                    json!([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]),
                    Value::Null,
                ),
                chunk(json!([]), whole["usage"].clone()),
            ] {
                text.push_str(&format!("data: {data}\n\n"));
            }
            text.push_str("data: [DONE]\n\n");
        }
    }
    text
}
