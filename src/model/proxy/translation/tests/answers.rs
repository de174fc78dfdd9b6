use std::sync::Arc;

use serde_json::Value;

use super::rig::POSITION;
use crate::domain::conversation::{ChatResponse, Finish, ToolCall};
use crate::domain::proxy_dialect::ProxyDialect::{
    self, ChatCompletions, GenerateContent, Messages, Responses,
};
use crate::domain::reasoning::{Reasoning, ReasoningFormat, Thought};
use crate::domain::usage::Usage;
use crate::model::proxy::answer_reading;
use crate::model::proxy::proxy_dialect::assembly;
use crate::model::proxy::translation::answer_writing;
use crate::model::proxy::translation::served_answer::ServedAnswer;
use crate::model::sse::{Decoder, Event};

const DIALECTS: [ProxyDialect; 4] = [ChatCompletions, Responses, Messages, GenerateContent];

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: "bash".to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn answered(text: &str, calls: Vec<ToolCall>, finish: Finish) -> ChatResponse {
    ChatResponse {
        text: text.to_owned(),
        calls,
        finish,
        usage: Usage {
            input: 100,
            cached: 40,
            output: 7,
            reasoning: 0,
            estimated: 0,
        },
        thoughts: None,
    }
}

fn written(response: &ChatResponse, dialect: ProxyDialect, streamed: bool) -> String {
    let answer = ServedAnswer {
        id: "abc",
        model: "m",
        created: 7,
        response,
        counts_tokens: true,
    };
    answer_writing::written(&answer, dialect, streamed)
}

/// The document of what was written, by the reader of real answers.
fn document(text: &str, dialect: ProxyDialect, streamed: bool) -> Value {
    if !streamed {
        return serde_json::from_str(text).unwrap();
    }
    let mut assembly = assembly(dialect);
    Decoder::default().feed(text.as_bytes(), |event: Event| assembly.take(event).unwrap());
    // The end of generateContent is that of the stream.
    assert!(
        assembly.is_done() || dialect == GenerateContent,
        "{dialect:?}: {text}"
    );
    assembly.finish().unwrap()
}

#[test]
fn an_answer_is_read_back_as_it_was_in_every_dialect() {
    for (text, calls, finish) in [
        ("hello\n\u{1f600} \"quoted\"", vec![], Finish::Stop),
        (
            "",
            vec![call("c1", "{\"a\": 1e400}"), call("c2", "{}")],
            Finish::Stop,
        ),
        ("I look.", vec![call("c1", "{\n \"a\": [1]\n}")], Finish::Stop),
        ("cut o", vec![], Finish::Length),
        ("I will not.", vec![], Finish::Refused),
    ] {
        let response = answered(text, calls, finish);
        for dialect in DIALECTS {
            for streamed in [false, true] {
                let text = written(&response, dialect, streamed);
                // Arguments of generateContent and of a whole answer of Messages are an object, which their
                // readers rewrite.
                let is_object = dialect == GenerateContent || (dialect == Messages && !streamed);
                if is_object && text.contains("1e400") {
                    let key = if dialect == Messages { "input" } else { "args" };
                    assert!(text.contains(&format!("\"{key}\":{{\"a\": 1e400}}")), "{text}");
                    continue;
                }
                let document = document(&text, dialect, streamed);
                let mut read = answer_reading::read(dialect, "p", POSITION, &document).unwrap();
                if is_object {
                    for (read, wanted) in read.calls.iter_mut().zip(&response.calls) {
                        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                        assert_eq!(value(&read.arguments), value(&wanted.arguments));
                        read.arguments.clone_from(&wanted.arguments);
                    }
                }
                assert_eq!(read, response, "{dialect:?} {streamed}: {text}");
            }
        }
    }
}

#[test]
fn a_filter_without_a_word_declines_in_every_dialect() {
    let response = answered("", vec![], Finish::Refused);
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let text = written(&response, dialect, streamed);
            let document = document(&text, dialect, streamed);
            let read = answer_reading::read(dialect, "p", POSITION, &document).unwrap();
            assert_eq!(read.finish, Finish::Refused, "{dialect:?} {streamed}: {text}");
        }
    }
}

#[test]
fn arguments_that_are_no_object_go_where_one_is_wanted_as_a_text() {
    let response = answered("", vec![call("c1", "{broken")], Finish::Stop);
    let whole = document(&written(&response, Messages, false), Messages, false);
    assert_eq!(whole["content"][0]["input"]["unreadable"], "{broken");
    let streamed = written(&response, Messages, true);
    assert!(
        streamed.contains(r#""partial_json":"{\"unreadable\":\"{broken\"}""#),
        "{streamed}"
    );
    for streamed in [false, true] {
        let text = written(&response, GenerateContent, streamed);
        assert!(text.contains(r#""args":{"unreadable":"{broken"}"#), "{text}");
    }
    let responses = written(&response, Responses, false);
    assert!(responses.contains("\"arguments\":\"{broken\""), "{responses}");
}

#[test]
fn thoughts_of_the_model_are_not_passed_on() {
    let mut response = answered("done", vec![], Finish::Stop);
    let thought = Thought {
        behind: 0,
        item: serde_json::json!({"secret": "thought"}),
    };
    response.thoughts = Reasoning::new(ReasoningFormat::OpenRouter, vec![thought]).map(Arc::new);
    for dialect in DIALECTS {
        for streamed in [false, true] {
            let text = written(&response, dialect, streamed);
            assert!(text.contains("done") && !text.contains("secret"), "{text}");
        }
    }
}

#[test]
fn a_stream_of_responses_has_the_events_that_its_clients_wait_for() {
    let response = answered("hi", vec![call("c1", "{}")], Finish::Stop);
    let stream = written(&response, Responses, true);
    let mut kinds = Vec::new();
    Decoder::default().feed(stream.as_bytes(), |event: Event| {
        let document: Value = serde_json::from_str(&event.data).unwrap();
        assert_eq!(document["sequence_number"], kinds.len(), "{document}");
        assert_eq!(document["type"], event.name.as_str());
        kinds.push(event.name);
    });
    assert_eq!(
        kinds,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed"
        ]
    );
    let cut = written(&answered("hi", vec![], Finish::Length), Responses, true);
    assert!(cut.contains("event: response.incomplete"), "{cut}");
}

#[test]
fn tokens_that_nobody_counted_are_not_told_where_the_dialect_allows_it() {
    let mut response = answered("hi", vec![], Finish::Stop);
    response.usage = Usage::default();
    let usage = |dialect| document(&written(&response, dialect, false), dialect, false)["usage"].clone();
    assert_eq!(
        (usage(ChatCompletions), usage(Responses)),
        (Value::Null, Value::Null)
    );
    assert_eq!(usage(Messages)["output_tokens"], 0);
    let text = written(&response, GenerateContent, true);
    assert!(!text.contains("usageMetadata"), "{text}");
}

#[test]
fn each_chunk_of_generate_content_is_a_response_and_the_last_one_alone_tells_the_end() {
    let mut response = answered(
        "I look.",
        vec![call("c1", "{}"), call("c2", "{\"a\":1}")],
        Finish::Stop,
    );
    response.usage.reasoning = 3;
    let mut chunks = Vec::new();
    Decoder::default().feed(
        written(&response, GenerateContent, true).as_bytes(),
        |event: Event| chunks.push(serde_json::from_str::<Value>(&event.data).unwrap()),
    );
    let parts: Vec<_> = chunks
        .iter()
        .map(|chunk| chunk["candidates"][0]["content"]["parts"].clone())
        .collect();
    assert_eq!(
        parts,
        [
            serde_json::json!([{"text": "I look."}]),
            serde_json::json!([{"functionCall": {"id": "c1", "name": "bash", "args": {}}}]),
            serde_json::json!([{"functionCall": {"id": "c2", "name": "bash", "args": {"a": 1}}}]),
        ]
    );
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(
            (&chunk["modelVersion"], &chunk["responseId"]),
            (&"m".into(), &"abc".into())
        );
        assert_eq!(chunk["candidates"][0]["content"]["role"], "model");
        assert_eq!(
            chunk["candidates"][0]["finishReason"] == "STOP",
            index == 2,
            "{chunk}"
        );
    }
    assert_eq!(
        chunks[2]["usageMetadata"],
        serde_json::json!({
            "promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 4,
            "thoughtsTokenCount": 3, "totalTokenCount": 107,
        })
    );
    let whole: Value = serde_json::from_str(&written(&response, GenerateContent, false)).unwrap();
    assert_eq!(
        whole["candidates"][0]["content"]["parts"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    // Clients look into the parts of any answer.
    let nothing = answered("", vec![], Finish::Stop);
    let whole: Value = serde_json::from_str(&written(&nothing, GenerateContent, false)).unwrap();
    assert_eq!(whole["candidates"][0]["content"]["parts"][0]["text"], "");
}
