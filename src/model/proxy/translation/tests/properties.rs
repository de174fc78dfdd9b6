use proptest::prelude::*;
use serde_json::{Value, json};

use super::rig::{carry, rules};
use crate::domain::proxy_dialect::ProxyDialect::{
    self, ChatCompletions, GenerateContent, Messages, Responses,
};

const SPOKEN: [ProxyDialect; 3] = [ChatCompletions, Responses, Messages];

/// A turn of a conversation: what the user says, what the model says, and its calls with their results.
#[derive(Debug, Clone)]
struct Turn {
    user: String,
    said: Option<String>,
    calls: Vec<(String, String)>,
}

fn turn() -> impl Strategy<Value = Turn> {
    let call = ("\\PC{0,12}", "\\PC{0,12}");
    let said = proptest::option::of("\\PC{1,12}");
    ("\\PC{1,12}", said, prop::collection::vec(call, 0..4)).prop_map(|(user, said, calls)| Turn {
        user,
        said,
        calls,
    })
}

/// The words of a conversation in their order, as they are found in messages of chat completions.
fn words(turns: &[Turn]) -> Vec<String> {
    let mut words = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        words.push(format!("u:{}", turn.user));
        words.extend(turn.said.iter().map(|said| format!("a:{said}")));
        for (index, (argument, _)) in turn.calls.iter().enumerate() {
            words.push(format!("c:{number}-{index}:{}", json!({ "x": argument })));
        }
        for (index, (_, result)) in turn.calls.iter().enumerate() {
            words.push(format!("t:{number}-{index}:{result}"));
        }
    }
    words
}

fn of_responses(turns: &[Turn]) -> Value {
    let mut items = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        items.push(json!({"role": "user", "content": [{"type": "input_text", "text": turn.user}]}));
        items.extend(
            turn.said
                .iter()
                .map(|said| json!({"type": "message", "role": "assistant", "content": said})),
        );
        items.extend(turn.calls.iter().enumerate().map(|(index, (argument, _))| {
            let arguments = json!({ "x": argument }).to_string();
            json!({"type": "function_call", "call_id": format!("{number}-{index}"), "name": "t", "arguments": arguments})
        }));
        items.extend(turn.calls.iter().enumerate().map(|(index, (_, result))| {
            json!({"type": "function_call_output", "call_id": format!("{number}-{index}"), "output": result})
        }));
    }
    json!({"model": "m", "input": items})
}

fn of_messages(turns: &[Turn]) -> Value {
    let mut messages = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        messages.push(json!({"role": "user", "content": turn.user}));
        let said = turn.said.iter().map(|said| json!({"type": "text", "text": said}));
        let calls = turn.calls.iter().enumerate().map(|(index, (argument, _))| {
            json!({"type": "tool_use", "id": format!("{number}-{index}"), "name": "t", "input": {"x": argument}})
        });
        let blocks: Vec<_> = said.chain(calls).collect();
        if !blocks.is_empty() {
            messages.push(json!({"role": "assistant", "content": blocks}));
        }
        let results = turn.calls.iter().enumerate().map(|(index, (_, result))| {
            json!({"type": "tool_result", "tool_use_id": format!("{number}-{index}"), "content": result})
        });
        let results: Vec<_> = results.collect();
        if !results.is_empty() {
            messages.push(json!({"role": "user", "content": results}));
        }
    }
    messages.push(json!({"role": "user", "content": "the end"}));
    json!({"model": "m", "max_tokens": 9, "messages": messages})
}

/// The same, with ids or without them.
fn of_generate_content(turns: &[Turn], has_ids: bool) -> Value {
    let mut contents = Vec::new();
    let with_id = |number: usize, index: usize, mut inner: Value| {
        if has_ids {
            inner["id"] = json!(format!("{number}-{index}"));
        }
        inner
    };
    for (number, turn) in turns.iter().enumerate() {
        contents.push(json!({"role": "user", "parts": [{"text": turn.user}]}));
        let said = turn.said.iter().map(|said| json!({ "text": said }));
        let calls = turn.calls.iter().enumerate().map(|(index, (argument, _))| {
            json!({"functionCall": with_id(number, index, json!({"name": "t", "args": {"x": argument}}))})
        });
        let parts: Vec<_> = said.chain(calls).collect();
        if !parts.is_empty() {
            contents.push(json!({"role": "model", "parts": parts}));
        }
        let results = turn.calls.iter().enumerate().map(|(index, (_, result))| {
            json!({"functionResponse": with_id(number, index, json!({"name": "t", "response": {"output": result}}))})
        });
        let results: Vec<_> = results.collect();
        if !results.is_empty() {
            contents.push(json!({"role": "user", "parts": results}));
        }
    }
    contents.push(json!({"role": "user", "parts": [{"text": "the end"}]}));
    json!({ "contents": contents })
}

/// The words of a conversation whose calls are numbered as they come.
fn numbered(turns: &[Turn]) -> Vec<String> {
    let mut words = words(turns);
    let ids = turns
        .iter()
        .enumerate()
        .flat_map(|(number, turn)| (0..turn.calls.len()).map(move |index| format!("{number}-{index}:")));
    for (count, id) in ids.enumerate() {
        for word in &mut words {
            for kind in ["c:", "t:"] {
                if let Some(rest) = word.strip_prefix(kind).and_then(|rest| rest.strip_prefix(&id)) {
                    *word = format!("{kind}reprise_call_{}:{rest}", count + 1);
                    break;
                }
            }
        }
    }
    words
}

/// The words of a body of chat completions.
fn found(body: &Value) -> Vec<String> {
    let mut words = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        let text = message["content"].as_str();
        match message["role"].as_str().unwrap() {
            "user" => words.push(format!("u:{}", text.unwrap())),
            "tool" => words.push(format!(
                "t:{}:{}",
                message["tool_call_id"].as_str().unwrap(),
                text.unwrap()
            )),
            _ => {
                words.extend(text.map(|text| format!("a:{text}")));
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let (id, arguments) = (&call["id"], &call["function"]["arguments"]);
                    words.push(format!(
                        "c:{}:{}",
                        id.as_str().unwrap(),
                        arguments.as_str().unwrap()
                    ));
                }
            }
        }
    }
    words
}

/// JSON of any shape, with the words that requests are made of.
fn hostile() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "role",
        "content",
        "input",
        "messages",
        "tools",
        "text",
        "function",
        "tool_calls",
        "tool_use",
        "tool_result",
        "message",
        "user",
        "assistant",
        "system",
        "function_call",
        "function_call_output",
        "call_id",
        "id",
        "name",
        "arguments",
        "output",
        "source",
        "image",
        "image_url",
        "reasoning",
        "output_config",
        "edits",
        "context_management",
        "tool_choice",
        "stop",
        "seed",
        "instructions",
        "model",
        "input_text",
        "url",
        "parts",
        "contents",
        "functionCall",
        "function_call",
        "functionResponse",
        "functionDeclarations",
        "response",
        "inlineData",
        "thought",
        "parameters",
        "properties",
        "anyOf",
        "nullable",
        "STRING",
        "generationConfig",
        "responseSchema",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        word.clone().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(fields.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn every_text_id_argument_and_result_comes_over_in_its_order(turns in prop::collection::vec(turn(), 1..5)) {
        let carried = carry(Responses, ChatCompletions, &of_responses(&turns).to_string()).unwrap();
        prop_assert_eq!(found(&carried.body), words(&turns));
        let carried = carry(Messages, ChatCompletions, &of_messages(&turns).to_string()).unwrap();
        let mut expected = words(&turns);
        expected.push("u:the end".to_owned());
        prop_assert_eq!(&found(&carried.body), &expected);
        let text = of_generate_content(&turns, true).to_string();
        let carried = carry(GenerateContent, ChatCompletions, &text).unwrap();
        prop_assert_eq!(found(&carried.body), expected);
        let text = of_generate_content(&turns, false).to_string();
        let carried = carry(GenerateContent, ChatCompletions, &text).unwrap();
        let mut expected = numbered(&turns);
        expected.push("u:the end".to_owned());
        prop_assert_eq!(found(&carried.body), expected);
    }

    #[test]
    fn hostile_bodies_are_refused_or_carried_and_nothing_else(body in hostile(), more in hostile()) {
        for from in ProxyDialect::ALL {
            for into in SPOKEN {
                let wrapped = match from {
                    GenerateContent => json!({"contents": body, "tools": more, "generationConfig": more}),
                    _ => json!({"model": "m", "messages": body, "input": body, "tools": more, "tool_choice": more}),
                };
                for text in [body.to_string(), wrapped.to_string()] {
                    if let Err(refused) = rules(into).translate(from, &text) {
                        prop_assert!(refused.to_string().contains(from.name()));
                    }
                }
            }
        }
    }
}
