//! Every request begins with the one before it, as each dialect writes it.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::{Value, json};

use reprise::agent::brief::Brief;
use reprise::agent::conversation::{Conversation, Move};
use reprise::agent::protocol::{self, KnownTools};
use reprise::domain::conversation::{ChatResponse, Finish, Position, ToolCall};
use reprise::domain::sampling::Sampling;
use reprise::domain::usage::Usage;
use reprise::model::anthropic;
use reprise::model::chat::{ChatModel, ChatRequest, Message, ModelError, ToolSpec};
use reprise::model::layers::text_calls::TextCalls;
use reprise::model::name::Provider;
use reprise::model::openai::request::Body;
use reprise::model::recording::canonical::Canonical;
use reprise::model::recording::format::Recording;
use reprise::model::responses;
use reprise::tools::contract::Observation;

use super::brief;

/// A model that keeps the request that reached it.
struct Wire {
    calls_tools: bool,
    seen: Mutex<Option<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Wire {
    fn name(&self) -> &str {
        "wire"
    }

    fn calls_tools(&self) -> bool {
        self.calls_tools
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        *self.seen.lock().unwrap() = Some(request.clone());
        Ok(ChatResponse {
            text: String::new(),
            calls: vec![],
            finish: Finish::Stop,
            usage: Usage::default(),
            thoughts: None,
        })
    }
}

/// The request behind the layer that turns written calls into messages.
pub async fn as_sent(request: &ChatRequest, calls_tools: bool) -> ChatRequest {
    let wire = Arc::new(Wire {
        calls_tools,
        seen: Mutex::default(),
    });
    TextCalls::new(wire.clone()).chat(request).await.unwrap();
    wire.seen.lock().unwrap().take().unwrap()
}

/// The parts of the prompt in their order, as each dialect writes them.
pub fn encoded(request: &ChatRequest) -> Vec<(&'static str, Vec<String>)> {
    let sampling = Sampling::default();
    let list = |body: Value, key: &str| -> Vec<String> {
        body[key]
            .as_array()
            .unwrap()
            .iter()
            .map(Value::to_string)
            .collect()
    };
    let completion = Body {
        provider: Provider::OpenAi,
        model: "m",
        sampling: &sampling,
        streamed: false,
        keeps_forms: false,
        request,
    };
    let response = responses::request::Body {
        provider: Provider::OpenAi,
        model: "m",
        sampling: &sampling,
        streamed: false,
        keeps_forms: false,
        gives_thoughts: true,
        request,
    };
    vec![
        (
            "chat completions",
            list(serde_json::to_value(completion).unwrap(), "messages"),
        ),
        (
            "responses",
            list(serde_json::to_value(response).unwrap(), "input"),
        ),
        ("anthropic", blocks(&anthropic_body(request))),
    ]
}

fn anthropic_body(request: &ChatRequest) -> Value {
    serde_json::to_value(anthropic::request::Body {
        model: "m",
        default_output: 1,
        sampling: &Sampling::default(),
        streamed: false,
        keeps_forms: false,
        thinks_within: true,
        request,
    })
    .unwrap()
}

/// The blocks of all turns with their roles; a mark says where a beginning ends
/// and is no part of it.
fn blocks(body: &Value) -> Vec<String> {
    marked_blocks(body).into_iter().map(|(text, _)| text).collect()
}

fn marked_blocks(body: &Value) -> Vec<(String, bool)> {
    let empty = Vec::new();
    let system = body["system"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .map(|block| ("system", block));
    let turns = body["messages"].as_array().unwrap().iter().flat_map(|turn| {
        let role = turn["role"].as_str().unwrap();
        turn["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(move |block| (role, block))
    });
    system
        .chain(turns)
        .map(|(role, block)| {
            let mut block = block.clone();
            let marked = block
                .as_object_mut()
                .unwrap()
                .shift_remove("cache_control")
                .is_some();
            (format!("{role} {block}"), marked)
        })
        .collect()
}

fn extends(before: &ChatRequest, after: &ChatRequest) -> Result<(), String> {
    for ((dialect, before), (_, after)) in encoded(before).into_iter().zip(encoded(after)) {
        let (before, after) = (before.join(","), after.join(","));
        if !after.starts_with(&before) {
            return Err(format!("{dialect}:\n{before}\nis no beginning of\n{after}"));
        }
    }
    (before.tools == after.tools && before.cache_key() == after.cache_key())
        .then_some(())
        .ok_or_else(|| "the tools or the cache key differ".to_owned())
}

/// The marks of a request: at most four, the last block among them, and one
/// where the request before it ended.
fn marks_hit(before: &ChatRequest, after: &ChatRequest) -> Result<(), String> {
    let (before, after) = (
        marked_blocks(&anthropic_body(before)),
        marked_blocks(&anthropic_body(after)),
    );
    let marks = after.iter().filter(|(_, marked)| *marked).count();
    let hit = after[before.len() - 1].1 && before.last().unwrap().1;
    (marks <= 4 && hit && after.last().unwrap().1)
        .then_some(())
        .ok_or_else(|| format!("{marks} marks: {after:?}"))
}

#[derive(Debug, Clone)]
enum Turn {
    /// Calls of tools by name, each with the file and its version.
    Native(Vec<(usize, usize, usize)>),
    Written(usize, usize, usize),
    Prose,
    Misfit,
    Cut,
    Empty,
}

fn turn() -> impl Strategy<Value = Turn> {
    let call = || (0..3_usize, 0..4_usize, 0..2_usize);
    prop_oneof![
        6 => prop::collection::vec(call(), 1..30).prop_map(Turn::Native),
        3 => call().prop_map(|(tool, file, version)| Turn::Written(tool, file, version)),
        1 => Just(Turn::Prose),
        1 => Just(Turn::Misfit),
        1 => Just(Turn::Cut),
        1 => Just(Turn::Empty),
    ]
}

const TOOLS: [&str; 3] = ["read_file", "web_search", "write_file"];

/// What a tool gives of a version of a file.
fn content(file: usize, version: usize) -> Observation {
    let rows = [3, 60, 400, 900][file];
    let body: String = (0..rows)
        .map(|row| format!("row {row} of {file}.{version}\n"))
        .collect();
    Observation::good(format!("`file-{file}`: {rows} lines\n\n{body}"))
}

/// What a tool is asked with.
fn arguments(tool: usize, file: usize, version: usize) -> Value {
    let path = format!("file-{file}");
    match TOOLS[tool] {
        "write_file" => json!({ "path": path, "content": content(file, version).text }),
        _ => json!({ "path": path }),
    }
}

/// Feeds a turn; the results of its calls by their place.
fn feed(conversation: &mut Conversation, turn: &Turn, at: usize) {
    let says = |text: &str| ChatResponse {
        text: text.into(),
        calls: vec![],
        finish: Finish::Stop,
        usage: Usage::default(),
        thoughts: None,
    };
    let response = match turn {
        Turn::Native(calls) => ChatResponse {
            calls: calls
                .iter()
                .enumerate()
                .map(|(index, (tool, file, version))| ToolCall {
                    id: format!("c{at}-{index}"),
                    name: TOOLS[*tool].into(),
                    arguments: arguments(*tool, *file, *version).to_string(),
                })
                .collect(),
            ..says("")
        },
        Turn::Written(tool, file, version) => says(&format!(
            "{}\nObservation: made up",
            protocol::render_call(TOOLS[*tool], &arguments(*tool, *file, *version))
        )),
        Turn::Prose => says("Let me think."),
        Turn::Misfit => says("{\"urls\": 7}"),
        Turn::Cut => ChatResponse {
            finish: Finish::Length,
            ..says("{\"urls\": [")
        },
        Turn::Empty => says(""),
    };
    conversation.answered(&response);
    while let Move::Act(pending) = conversation.next() {
        let index = pending[0].index;
        let (file, version) = match turn {
            Turn::Native(calls) => (calls[index as usize].1, calls[index as usize].2),
            Turn::Written(_, file, version) => (*file, *version),
            _ => (0, 0),
        };
        conversation.observed(index, content(file, version));
    }
}

fn generated(native_calls: bool, shrink_at: Option<u64>) -> Brief {
    Brief {
        shrink_at,
        tools: TOOLS.map(tool).into(),
        criterion: None,
        ..brief(native_calls, 200)
    }
}

fn tool(name: &str) -> ToolSpec {
    let parameters =
        json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
    ToolSpec {
        name: name.into(),
        description: String::new(),
        parameters,
    }
}

fn size(request: &ChatRequest) -> usize {
    serde_json::to_string(&request.messages).unwrap().len()
}

/// All texts of a message's calls, native or written.
fn texts(text: &str, calls: &[ToolCall]) -> Vec<String> {
    let known = KnownTools::of(&TOOLS.map(tool));
    let mut arguments: Vec<Value> = match protocol::parse(text, &known) {
        protocol::Turn::Calls(calls) => calls.into_iter().map(|call| call.arguments).collect(),
        _ => Vec::new(),
    };
    arguments.extend(
        calls
            .iter()
            .map(|call| serde_json::from_str::<Value>(&call.arguments).unwrap()),
    );
    let strings = arguments.iter().flat_map(|one| one.as_object().unwrap().values());
    strings.map(|value| value.as_str().unwrap().to_owned()).collect()
}

/// A pointer names a file that holds the whole.
fn stands(whole: &str, pointer: &str, conversation: &Conversation) -> Result<(), String> {
    let mut kept = conversation.left_out().iter();
    let kept = kept.find(|one| pointer.contains(&format!("`{}`", one.path)));
    match kept {
        Some(kept) if *kept.text == *whole => Ok(()),
        Some(kept) => Err(format!("{} does not hold {whole}", kept.path)),
        None => Err(format!("{pointer} names no file")),
    }
}

/// A shrinking keeps every message in its place, saves what it has to, and each
/// result that it leaves out is whole where its pointer says.
fn shrinks_well(
    before: &ChatRequest,
    after: &ChatRequest,
    conversation: &Conversation,
) -> Result<(), String> {
    let mut changed = 0;
    for (one, other) in before.messages.iter().zip(&after.messages) {
        if one == other {
            continue;
        }
        changed += 1;
        match (one, other) {
            (
                Message::Tool { text, call, name, .. },
                Message::Tool {
                    text: pointer,
                    call: id,
                    name: tool,
                    ..
                },
            ) if (call, name) == (id, tool) => stands(text, pointer, conversation)?,
            (
                Message::Assistant { text, calls, .. },
                Message::Assistant {
                    text: said,
                    calls: made,
                    ..
                },
            ) => {
                let (texts, pointers) = (texts(text, calls), texts(said, made));
                for (whole, pointer) in texts.iter().zip(&pointers) {
                    if whole != pointer {
                        stands(whole, pointer, conversation)?;
                    }
                }
                if texts.len() != pointers.len() {
                    return Err(format!("{said} makes other calls than {text}"));
                }
            }
            _ => return Err(format!("{one:?} became {other:?}")),
        }
    }
    if changed == 0 && before.messages.len() >= after.messages.len() {
        return Err("nothing was shrunk".to_owned());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_request_extends_the_one_before_it_but_where_old_results_shrink(
        turns in prop::collection::vec(turn(), 1..20),
        native_calls in any::<bool>(),
        shrink_at in prop_oneof![Just(None), Just(Some(2_000)), Just(Some(20_000))],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut conversation = Conversation::new(generated(native_calls, shrink_at));
        let mut whole = Conversation::new(generated(native_calls, None));
        let mut before: Option<(ChatRequest, u32)> = None;
        let mut fed = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            if conversation.next() != Move::Ask {
                break;
            }
            let raw = conversation.request();
            let request = runtime.block_on(as_sent(&raw, native_calls));
            if let Some((before, shrinkings)) = &before
                && conversation.shrinkings() == *shrinkings
            {
                extends(before, &request).map_err(TestCaseError::fail)?;
                marks_hit(before, &request).map_err(TestCaseError::fail)?;
            }
            before = Some((request, conversation.shrinkings()));
            let shrinkings = conversation.shrinkings();
            feed(&mut conversation, turn, at);
            feed(&mut whole, turn, at);
            fed.push((at, turn));
            if conversation.shrinkings() > shrinkings {
                shrinks_well(&raw, &conversation.request(), &conversation).map_err(TestCaseError::fail)?;
                prop_assert!(size(&conversation.request()) as u64 + shrink_at.unwrap() <= size(&whole.request()) as u64);
            }
        }
        // Folded anew, as a resumed run does, it is the same conversation.
        let mut again = Conversation::new(generated(native_calls, shrink_at));
        for (at, turn) in &fed {
            feed(&mut again, turn, *at);
        }
        prop_assert_eq!(again.request(), conversation.request());
        prop_assert_eq!(again.request_digest(), conversation.request_digest());
        prop_assert_eq!(again.left_out(), conversation.left_out());
        prop_assert!(shrink_at.is_some() || conversation.shrinkings() == 0);
    }
}

#[test]
fn a_call_whose_text_was_left_out_is_a_whole_call_in_each_dialect() {
    let mut conversation = Conversation::new(generated(true, Some(2_000)));
    for (at, call) in [(2, 2, 0), (0, 0, 0), (0, 0, 1)].into_iter().enumerate() {
        feed(&mut conversation, &Turn::Native(vec![call]), at);
    }
    assert_eq!(conversation.shrinkings(), 1);
    let raw = conversation.request();
    let parts = encoded(&raw);
    let pointing = |dialect: usize| -> Value {
        let mut parts = parts[dialect].1.iter();
        let part = parts.find(|part| part.contains("[Left out here:"));
        let part = part.unwrap().trim_start_matches("assistant ");
        serde_json::from_str(part).unwrap()
    };
    let read = |arguments: &Value| -> Value { serde_json::from_str(arguments.as_str().unwrap()).unwrap() };
    for arguments in [
        read(&pointing(0)["tool_calls"][0]["function"]["arguments"]),
        read(&pointing(1)["arguments"]),
        pointing(2)["input"].clone(),
    ] {
        assert_eq!(arguments["path"], "file-2", "{arguments}");
        let pointer = arguments["content"].as_str().unwrap();
        stands(&content(2, 0).text, pointer, &conversation).unwrap();
        assert_eq!(arguments.as_object().unwrap().len(), 2);
    }
}

/// The requests of each recorded stage, rebuilt from the file.
fn recorded(recording: &Recording) -> Vec<Vec<ChatRequest>> {
    let stages = recording.stages.iter().map(|(stage, recorded)| {
        let mut messages: Vec<Message> = Vec::new();
        let mut requests = Vec::new();
        for (turn, entry) in (0..).zip(&recorded.turns) {
            let position = Position { stage: *stage, turn };
            let request = entry.request.as_ref().unwrap();
            messages.truncate(request.kept.unwrap_or(usize::MAX));
            for added in &request.added {
                messages.push(match added {
                    Canonical::System { text } => Message::System {
                        text: text.0.as_str().into(),
                    },
                    Canonical::User { text } => Message::User {
                        text: text.0.as_str().into(),
                    },
                    Canonical::Pictured { text, picture } => Message::Pictured {
                        text: text.0.as_str().into(),
                        picture: picture.clone(),
                    },
                    Canonical::Assistant { text, calls } => Message::Assistant {
                        text: text.0.as_str().into(),
                        calls: calls.clone(),
                        thoughts: None,
                    },
                    Canonical::Tool { call, name, text } => Message::Tool {
                        call: call.clone(),
                        name: name.clone(),
                        text: text.0.as_str().into(),
                        stable: None,
                    },
                    Canonical::Answer {} => {
                        let before = Position {
                            stage: *stage,
                            turn: turn - 1,
                        };
                        let answer = recorded.turns[turn as usize - 1].answer.response(before);
                        Message::Assistant {
                            text: answer.text.into(),
                            calls: answer.calls,
                            thoughts: None,
                        }
                    }
                });
            }
            requests.push(ChatRequest {
                position,
                messages: messages.clone(),
                tools: Arc::new([]),
                max_output_tokens: None,
                form: None,
            });
        }
        requests
    });
    stages.collect()
}

#[test]
fn in_the_bundled_runs_every_request_extends_the_one_before_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut followed, mut papers) = (0, 0);
    for folder in [
        "studies/duncan-1961",
        "studies/crime-1993",
        "tests/fixtures/slope",
        "tests/fixtures/harvest",
    ] {
        for entry in std::fs::read_dir(root.join(folder).join("recordings")).unwrap() {
            let recording = Recording::open(&entry.unwrap().path()).unwrap();
            for requests in recorded(&recording) {
                for pair in requests.windows(2) {
                    extends(&pair[0], &pair[1]).unwrap();
                    marks_hit(&pair[0], &pair[1]).unwrap();
                    followed += 1;
                }
            }
            // The paper is sent once: with the task of one stage.
            let quoting = recorded(&recording).into_iter().filter(|requests| {
                let opening = &requests[0].messages[1];
                matches!(opening, Message::User { text } if text.contains("The paper, with page marks"))
            });
            assert_eq!(quoting.count(), 1);
            papers += 1;
        }
    }
    assert!(
        followed > 50 && papers >= 8,
        "{followed} requests in {papers} recordings"
    );
}
