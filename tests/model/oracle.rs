//! The types of `async-openai` as an oracle: they read each body that is written, with
//! nothing lost, and what they write back of an answer reads as the answer did.

use std::sync::Arc;

use async_openai::types::chat::{CreateChatCompletionRequest, CreateChatCompletionResponse};
use async_openai_responses::types::responses::{CreateResponse, Response};
use reprise::domain::conversation::{Finish, ToolCall};
use reprise::domain::picture::{MediaType, Picture};
use reprise::domain::reasoning::{Reasoning, ReasoningFormat, Thought};
use reprise::domain::sampling::{Effort, Sampling};
use reprise::domain::usage::Usage;
use reprise::model::chat::{ChatRequest, Message, ModelError};
use reprise::model::dialect::Dialect;
use reprise::model::providers;
use reprise::model::providers::openai::OPENAI;
use reprise::model::response_schema::ResponseSchema;
use reprise::model::timeouts::AttemptBudget;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::dialects::connection;
use crate::support::requests::ask;

/// Paths of what the first value holds and the second has lost or changed.
fn lost(ours: &Value, theirs: Option<&Value>, at: &str, into: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Some(Value::Object(theirs))) => {
            for (key, value) in ours {
                lost(value, theirs.get(key), &format!("{at}.{key}"), into);
            }
        }
        (Value::Array(ours), Some(Value::Array(theirs))) if ours.len() == theirs.len() => {
            for (index, value) in ours.iter().enumerate() {
                lost(value, theirs.get(index), &format!("{at}[{index}]"), into);
            }
        }
        // Their temperatures are of half the precision.
        (Value::Number(ours), Some(Value::Number(theirs)))
            if ours
                .as_f64()
                .zip(theirs.as_f64())
                .is_some_and(|(a, b)| (a - b).abs() < 1e-6) => {}
        (ours, Some(theirs)) if ours == theirs => {}
        (Value::Null, None) => {}
        (ours, theirs) => into.push(format!("{at}: {ours} became {theirs:?}")),
    }
}

/// A document read by their type and written again.
fn through<T: Serialize + DeserializeOwned>(document: &Value) -> Value {
    let read: T =
        serde_json::from_value(document.clone()).unwrap_or_else(|error| panic!("{error}: {document:#}"));
    serde_json::to_value(read).unwrap()
}

fn unchanged<T: Serialize + DeserializeOwned>(body: &str) {
    let ours: Value = serde_json::from_str(body).unwrap();
    let mut found = Vec::new();
    lost(&ours, Some(&through::<T>(&ours)), "", &mut found);
    assert!(found.is_empty(), "{found:#?}\n{ours:#}");
}

/// Plain, with everything that can be said, and called again.
fn requests() -> Vec<ChatRequest> {
    let mut full = ask(0, "Replicate the claim.");
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "read_file".into(),
        arguments: r#"{"path":"a.txt"}"#.into(),
    };
    let answered = |id: &str| Message::Tool {
        call: id.into(),
        name: "read_file".into(),
        text: "one line".into(),
        stable: None,
    };
    let thought = Reasoning {
        dialect: ReasoningFormat::Responses,
        items: vec![Thought {
            behind: 0,
            item: json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b64"}),
        }],
    };
    full.messages.extend([
        Message::Assistant {
            text: "I look.".into(),
            calls: vec![call("call_1"), call("call_2")],
            thoughts: None,
        },
        answered("call_1"),
        answered("call_2"),
        Message::Assistant {
            text: "".into(),
            calls: vec![call("call_3")],
            thoughts: Some(Arc::new(thought)),
        },
        answered("call_3"),
        Message::Pictured {
            text: "What does it show?".into(),
            picture: Picture::new(MediaType::Png, 1, 1, b"\x89PNG".to_vec()),
        },
    ]);
    full.max_output_tokens = Some(900);
    full.form = Some(Arc::new(ResponseSchema {
        name: "verdict".into(),
        schema: json!({"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"], "additionalProperties": false}),
    }));
    let mut bare = ask(0, "Say hello.");
    bare.tools = Arc::from([]);
    vec![bare, ask(1, "Read."), full]
}

/// Of OpenAI itself, whose interface their types are.
fn openai_dialect(responses: bool, effort: Option<Effort>) -> Box<dyn Dialect> {
    let mut connection = connection(&OPENAI, "http://127.0.0.1:9/v1", AttemptBudget::default());
    connection.capabilities.responses = Some(responses);
    connection.sampling = Sampling {
        temperature: effort.is_none().then_some(0.2),
        top_p: effort.is_none().then_some(0.5),
        stop: match responses {
            true => Default::default(),
            false => vec!["Observation:".to_owned()].try_into().unwrap(),
        },
        seed: (!responses).then_some(7),
        effort,
    };
    providers::connect(connection).unwrap()
}

#[test]
fn each_body_is_one_that_their_types_read_whole() {
    for effort in [None, Some(Effort::Minimal), Some(Effort::High)] {
        for request in requests() {
            for streamed in [false, true] {
                let chat = openai_dialect(false, effort);
                unchanged::<CreateChatCompletionRequest>(&chat.body(&request, streamed).unwrap());
                let responses = openai_dialect(true, effort);
                unchanged::<CreateResponse>(&responses.body(&request, streamed).unwrap());
            }
        }
    }
}

fn chat_answer(message: Value, reason: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": null}],
        "usage": {
            "prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    })
}

fn responses_answer(output: Value, status: &str, why: Option<&str>) -> Value {
    json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": status,
        "incomplete_details": why.map(|reason| json!({"reason": reason})),
        "output": output, "parallel_tool_calls": true, "tools": [], "tool_choice": "auto",
        "usage": {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 17,
        },
    })
}

/// The meaning of an answer: its text, how many calls, how it ended, how many thoughts.
struct Meant(&'static str, usize, Finish, usize);

const USED: Usage = Usage {
    input: 10,
    cached: 4,
    written: 0,
    written_long: 0,
    output: 7,
    reasoning: 3,
    estimated: 0,
};

/// Reads a document as it is, and as their type writes it.
fn compared<T: Serialize + DeserializeOwned>(dialect: &dyn Dialect, document: &Value, meant: &Meant) {
    let Meant(text, calls, finish, thoughts) = meant;
    for document in [document, &through::<T>(document)] {
        let answer = dialect
            .read(&ask(0, "Read."), document)
            .unwrap_or_else(|error| panic!("{error}: {document:#}"));
        assert_eq!(
            (
                answer.text.as_str(),
                answer.calls.len(),
                answer.finish,
                answer.usage
            ),
            (*text, *calls, *finish, USED),
            "{document:#}"
        );
        assert!(
            answer
                .calls
                .iter()
                .all(|call| call.name == "read_file" && call.arguments == r#"{"path":"p"}"#)
        );
        assert_eq!(
            answer.thoughts.map_or(0, |thoughts| thoughts.items.len()),
            *thoughts
        );
    }
}

#[test]
fn each_chat_completion_of_theirs_is_read_as_it_is_meant() {
    let chat = openai_dialect(false, None);
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"p\"}"}});
    let says = |text: &str| json!({"role": "assistant", "content": text});
    for (message, reason, meant) in [
        (says("hello"), "stop", Meant("hello", 0, Finish::Stop, 0)),
        (
            json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]}),
            "tool_calls",
            Meant("", 2, Finish::Stop, 0),
        ),
        (
            json!({"role": "assistant", "content": "I read.", "tool_calls": [call("a")]}),
            "tool_calls",
            Meant("I read.", 1, Finish::Stop, 0),
        ),
        (
            json!({"role": "assistant", "content": null, "refusal": "I will not."}),
            "stop",
            Meant("I will not.", 0, Finish::Refused, 0),
        ),
        (says("hel"), "length", Meant("hel", 0, Finish::Length, 0)),
        (says("hel"), "content_filter", Meant("hel", 0, Finish::Refused, 0)),
    ] {
        compared::<CreateChatCompletionResponse>(&*chat, &chat_answer(message, reason), &meant);
    }
}

#[test]
fn each_response_of_theirs_is_read_as_it_is_meant() {
    let responses = openai_dialect(true, None);
    let message = |part: Value| json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]});
    let text = message(json!({"type": "output_text", "text": "hello", "annotations": [], "logprobs": []}));
    let refusal = message(json!({"type": "refusal", "refusal": "I will not."}));
    let call = |id: &str| {
        json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": "read_file",
        "arguments": "{\"path\":\"p\"}", "status": "completed"})
    };
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b64"});
    let cut = Some("max_output_tokens");
    for (output, status, why, meant) in [
        (
            json!([text]),
            "completed",
            None,
            Meant("hello", 0, Finish::Stop, 0),
        ),
        (
            json!([thought, call("a")]),
            "completed",
            None,
            Meant("", 1, Finish::Stop, 1),
        ),
        (
            json!([text, call("a"), call("b")]),
            "completed",
            None,
            Meant("hello", 2, Finish::Stop, 0),
        ),
        (
            json!([refusal]),
            "completed",
            None,
            Meant("I will not.", 0, Finish::Refused, 0),
        ),
        (
            json!([text]),
            "incomplete",
            cut,
            Meant("hello", 0, Finish::Length, 0),
        ),
        (
            json!([text]),
            "incomplete",
            Some("content_filter"),
            Meant("hello", 0, Finish::Refused, 0),
        ),
    ] {
        compared::<Response>(&*responses, &responses_answer(output, status, why), &meant);
    }
}

#[test]
fn a_response_of_theirs_that_failed_is_an_error_with_its_reason() {
    let responses = openai_dialect(true, None);
    for (code, passes) in [
        ("server_error", true),
        ("rate_limit_exceeded", true),
        ("invalid_prompt", false),
    ] {
        let mut failed = responses_answer(json!([]), "failed", None);
        failed["error"] = json!({"code": code, "message": "it went wrong"});
        for document in [&failed, &through::<Response>(&failed)] {
            let error = responses.read(&ask(0, "Read."), document).unwrap_err();
            assert!(error.to_string().contains("it went wrong"), "{error}");
            assert_eq!(matches!(error, ModelError::Attempt(_)), passes, "{code}: {error}");
        }
    }
}
