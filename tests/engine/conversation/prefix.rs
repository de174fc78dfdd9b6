//! Every request begins with the one before it but where old results shrink,
//! whatever the model does.

use proptest::prelude::*;
use serde_json::{Value, json};

use reprise::agent::brief::Brief;
use reprise::agent::conversation::{Conversation, Move};
use reprise::agent::protocol::{self, KnownTools};
use reprise::domain::conversation::{ChatResponse, Finish, ToolCall};
use reprise::domain::usage::Usage;
use reprise::model::chat::{ChatRequest, Message, ToolSpec};
use reprise::tools::contract::Observation;

use super::brief;
use super::wire::{as_sent, encoded, extends, marks_hit};

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
        shrink_from: 0,
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
    let known = KnownTools::from_specs(&TOOLS.map(tool));
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
