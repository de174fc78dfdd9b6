//! Requests to each provider, and answers in the shapes of its public reference.
//!
//! The requests are snapshots, held field by field against the references of
//! OpenAI, Azure, Anthropic, Gemini, Mistral, OpenRouter, vLLM, Ollama and LM
//! Studio as they stood in November 2026. The answers have the fields and the
//! nesting of those references, with words of our own.

use std::sync::Arc;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::conversation::{Finish, ToolCall};
use reprise::domain::picture::{MediaType, Picture};
use reprise::domain::sampling::{Effort, Sampling};
use reprise::model::capabilities::{Capabilities, ModelTable};
use reprise::model::chat::{ChatRequest, Message};
use reprise::model::key::Key;
use reprise::model::name::ModelName;
use reprise::model::response_schema::ResponseSchema;
use reprise::model::served::{Serving, serve};
use serde_json::{Value, json};

use crate::support::dialects::CANARY;
use crate::support::requests::ask;
use crate::support::server::{Reply, Server, json as answered};

/// One provider: the model, where it is asked below the server's address, and
/// an answer of its own shape.
struct Provider {
    model: &'static str,
    below: &'static str,
    path: &'static str,
    /// The header that carries the key.
    key: &'static str,
    answer: Value,
}

fn providers() -> Vec<Provider> {
    let of = |model, below, path, key, answer| Provider {
        model,
        below,
        path,
        key,
        answer,
    };
    let bearer = "authorization: Bearer ";
    vec![
        of("openai/gpt-4.1", "/v1", "/v1/chat/completions", bearer, openai()),
        of("openai/gpt-5", "/v1", "/v1/chat/completions", bearer, openai()),
        of("openai/gpt-5-pro", "/v1", "/v1/responses", bearer, responses()),
        of(
            "azure/my-deployment",
            "",
            "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
            "api-key: ",
            azure(),
        ),
        of(
            "anthropic/claude-sonnet-4-5",
            "/v1",
            "/v1/messages",
            "x-api-key: ",
            anthropic(),
        ),
        of(
            "gemini/gemini-2.5-flash",
            "/v1beta/openai",
            "/v1beta/openai/chat/completions",
            bearer,
            gemini(),
        ),
        of(
            "mistral/mistral-large-latest",
            "/v1",
            "/v1/chat/completions",
            bearer,
            mistral(),
        ),
        of(
            "openrouter/meta-llama/llama-3.3-70b-instruct",
            "/api/v1",
            "/api/v1/chat/completions",
            bearer,
            openrouter(),
        ),
        of(
            "vllm/Qwen/Qwen3-8B",
            "/v1",
            "/v1/chat/completions",
            bearer,
            vllm(),
        ),
        of("ollama/llama3.2", "/v1", "/v1/chat/completions", bearer, ollama()),
        of(
            "lmstudio/qwen3-4b",
            "/v1",
            "/v1/chat/completions",
            bearer,
            lmstudio(),
        ),
        of(
            "llama.cpp/qwen3-4b",
            "/v1",
            "/v1/chat/completions",
            bearer,
            lmstudio(),
        ),
    ]
}

fn openai() -> Value {
    json!({
        "id": "chatcmpl-A1", "object": "chat.completion", "created": 1_741_570_283, "model": "gpt-4.1-2025-04-14",
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant", "content": null, "refusal": null, "annotations": [],
                "tool_calls": [{"id": "call_A1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"paper.pdf\"}"}}],
            },
            "logprobs": null, "finish_reason": "tool_calls",
        }],
        "usage": {
            "prompt_tokens": 120, "completion_tokens": 17, "total_tokens": 137,
            "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 5, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
        },
        "service_tier": "default", "system_fingerprint": "fp_1",
    })
}

fn azure() -> Value {
    let safe = json!({"filtered": false, "severity": "safe"});
    let mut answer = openai();
    answer["choices"][0]["content_filter_results"] = json!({"hate": safe, "violence": safe});
    answer["prompt_filter_results"] = json!([{"prompt_index": 0, "content_filter_results": {"hate": safe}}]);
    answer
}

fn responses() -> Value {
    json!({
        "id": "resp_A1", "object": "response", "created_at": 1_741_570_283, "status": "completed", "error": null,
        "incomplete_details": null, "model": "gpt-5-pro-2025-10-06", "parallel_tool_calls": true,
        "output": [
            {"type": "reasoning", "id": "rs_A1", "summary": []},
            {"type": "function_call", "id": "fc_A1", "call_id": "call_A1", "name": "read_file", "arguments": "{\"path\":\"paper.pdf\"}", "status": "completed"},
        ],
        "usage": {
            "input_tokens": 120, "input_tokens_details": {"cached_tokens": 64},
            "output_tokens": 17, "output_tokens_details": {"reasoning_tokens": 5}, "total_tokens": 137,
        },
    })
}

fn anthropic() -> Value {
    json!({
        "id": "msg_A1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "tool_use", "id": "call_A1", "name": "read_file", "input": {"path": "paper.pdf"}}],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {
            "input_tokens": 40, "cache_creation_input_tokens": 16, "cache_read_input_tokens": 64,
            "cache_creation": {"ephemeral_5m_input_tokens": 16, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 17, "service_tier": "standard",
        },
    })
}

fn gemini() -> Value {
    json!({
        "choices": [{
            "finish_reason": "tool_calls", "index": 0,
            "message": {"role": "assistant", "tool_calls": [{
                "extra_content": {"google": {"thought_signature": "c2lnbmVk"}},
                "function": {"arguments": "{\"path\":\"paper.pdf\"}", "name": "read_file"},
                "id": "call_A1", "type": "function",
            }]},
        }],
        "created": 1_741_570_283, "id": "A1", "model": "gemini-2.5-flash", "object": "chat.completion",
        "usage": {"completion_tokens": 17, "prompt_tokens": 120, "total_tokens": 137},
    })
}

fn mistral() -> Value {
    json!({
        "id": "A1", "object": "chat.completion", "model": "mistral-large-latest", "created": 1_741_570_283,
        "usage": {"prompt_tokens": 120, "completion_tokens": 17, "total_tokens": 137},
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_A1", "function": {"name": "read_file", "arguments": "{\"path\": \"paper.pdf\"}"}, "index": 0}
            ], "prefix": false},
            "finish_reason": "tool_calls",
        }],
    })
}

fn openrouter() -> Value {
    json!({
        "id": "gen-A1", "provider": "Somebody", "model": "meta-llama/llama-3.3-70b-instruct", "object": "chat.completion", "created": 1_741_570_283,
        "choices": [{
            "logprobs": null, "finish_reason": "tool_calls", "native_finish_reason": "tool_calls", "index": 0,
            "message": {"role": "assistant", "content": "", "refusal": null, "reasoning": null, "tool_calls": [
                {"index": 0, "id": "call_A1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"paper.pdf\"}"}}
            ]},
        }],
        "usage": {"prompt_tokens": 120, "completion_tokens": 17, "total_tokens": 137, "cost": 0.0001, "prompt_tokens_details": {"cached_tokens": 0}},
    })
}

fn vllm() -> Value {
    json!({
        "id": "chatcmpl-A1", "object": "chat.completion", "created": 1_741_570_283, "model": "Qwen/Qwen3-8B",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": null, "reasoning_content": null, "tool_calls": [
                {"id": "call_A1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\": \"paper.pdf\"}"}}
            ]},
            "logprobs": null, "finish_reason": "tool_calls", "stop_reason": null,
        }],
        "usage": {"prompt_tokens": 120, "total_tokens": 137, "completion_tokens": 17, "prompt_tokens_details": null},
        "prompt_logprobs": null,
    })
}

fn ollama() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_741_570_283, "model": "llama3.2", "system_fingerprint": "fp_ollama",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_A1", "index": 0, "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"paper.pdf\"}"}}
            ]},
            "finish_reason": "tool_calls",
        }],
        "usage": {"prompt_tokens": 120, "completion_tokens": 17, "total_tokens": 137},
    })
}

fn lmstudio() -> Value {
    json!({
        "id": "chatcmpl-A1", "object": "chat.completion", "created": 1_741_570_283, "model": "qwen3-4b",
        "choices": [{
            "index": 0, "logprobs": null, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "tool_calls": [
                {"id": "call_A1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"paper.pdf\"}"}}
            ]},
        }],
        "usage": {"prompt_tokens": 120, "completion_tokens": 17, "total_tokens": 137}, "stats": {}, "system_fingerprint": "qwen3-4b",
    })
}

/// A conversation with everything in it that can be said.
fn conversation() -> ChatRequest {
    let mut request = ask(0, "Replicate the claim.");
    request.messages.extend([
        Message::Assistant {
            text: "I look.".into(),
            calls: vec![ToolCall {
                id: "call_design_0_0".into(),
                name: "read_file".into(),
                arguments: r#"{"path":"a.txt"}"#.into(),
            }],
            thoughts: None,
        },
        Message::Tool {
            call: "call_design_0_0".into(),
            name: "read_file".into(),
            text: "one line".into(),
            stable: None,
        },
        Message::Pictured {
            text: "What does it show?".into(),
            picture: Picture::new(MediaType::Png, 1, 1, b"\x89PNG".to_vec()),
        },
    ]);
    request.max_output_tokens = Some(900);
    request.form = Some(Arc::new(ResponseSchema {
        name: "verdict".into(),
        schema: json!({"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"], "additionalProperties": false}),
    }));
    request
}

/// Everything that a model can be told besides its conversation.
fn all_that_it_takes(known: Capabilities) -> Sampling {
    let takes = |effort: &Effort| known.reasoning_effort.is_none_or(|efforts| efforts.has(*effort));
    let temperature = known.temperature != Some(false);
    // Anthropic takes no temperature beside a thought.
    let thinks = known.thinking_budget != Some(true);
    Sampling {
        temperature: temperature.then_some(0.2),
        seed: Some(7),
        effort: [Effort::Low, Effort::High]
            .into_iter()
            .filter(|_| thinks)
            .find(takes),
        ..Sampling::default()
    }
}

#[tokio::test]
async fn each_provider_is_asked_and_understood_as_its_reference_says() {
    let table = ModelTable::built_in().unwrap();
    for provider in providers() {
        let server = Server::start(vec![answered(provider.answer.clone())]).await;
        let serving = Serving {
            key: Some(Key::new(CANARY).unwrap()),
            base: Some(
                format!("http://{}{}", server.address, provider.below)
                    .parse()
                    .unwrap(),
            ),
            sampling: all_that_it_takes(table.get(provider.model)),
            capabilities: table.get(provider.model),
            ..Serving::default()
        };
        let name: ModelName = provider.model.parse().unwrap();
        let model = serve(&name, serving, Arc::new(FixedClock(Timestamp::UNIX_EPOCH))).unwrap();
        assert_eq!(model.name(), provider.model);
        let response = model.chat(&conversation()).await.unwrap();
        assert_eq!(response.finish, Finish::Stop, "{}", provider.model);
        let call = &response.calls[0];
        assert_eq!((call.id.as_str(), call.name.as_str()), ("call_A1", "read_file"));
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        assert_eq!(arguments, json!({"path": "paper.pdf"}));
        assert_eq!(
            (response.usage.input, response.usage.output),
            (120, 17),
            "{}",
            provider.model
        );

        let seen = &server.seen()[0];
        assert!(
            seen.head
                .starts_with(&format!("POST {} HTTP/1.1\r\n", provider.path)),
            "{}",
            seen.head
        );
        assert!(
            seen.head.contains(&format!("\r\n{}{CANARY}\r\n", provider.key)),
            "{}",
            seen.head
        );
        assert_eq!(
            header_names(&seen.head),
            header_names_of(&provider),
            "{}",
            provider.model
        );
        insta::assert_json_snapshot!(provider.model.replace(['/', '.'], "_"), seen.body);
    }
}

/// The names of a request's headers, sorted.
fn header_names(head: &str) -> Vec<&str> {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let mut names: Vec<_> = lines.map(|(name, _)| name).collect();
    names.sort_unstable();
    names
}

/// All that a provider is sent beside the body: nothing of the machine, and no key twice.
fn header_names_of(provider: &Provider) -> Vec<&'static str> {
    let key = provider.key.split_once(':').unwrap().0;
    let mut names = vec![
        "accept",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        key,
    ];
    names.extend((key == "x-api-key").then_some("anthropic-version"));
    names.sort_unstable();
    names
}

#[test]
fn no_provider_is_without_its_reference() {
    let known: Vec<_> = providers()
        .iter()
        .map(|provider| provider.model.split('/').next().unwrap())
        .collect();
    for provider in reprise::model::providers::all() {
        let shown = provider.address_in_name() || known.contains(&provider.prefix);
        assert!(shown, "{provider:?} has no request and answer in this file");
    }
}

/// Streams of the shapes that the references show, as far as they differ.
#[tokio::test]
async fn streams_of_compatible_servers_are_understood() {
    let streams = [
        // vLLM and LM Studio: the name arrives with the first piece, the counts with the last chunk.
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"call_A1\",\"type\":\"function\",\"index\":0,\"function\":{\"name\":\"read_file\"}}]}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":\\\"p\\\"}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"tool_calls\",\"stop_reason\":null}]}\n\n\
         data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}\n\ndata: [DONE]\n\n",
        // Mistral, Gemini and Ollama: a call arrives whole, and the counts beside the reason.
        "data: {\"id\":\"A1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n\
         data: {\"id\":\"A1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"tool_calls\":[{\"id\":\"call_A1\",\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\\\"p\\\"}\"},\"index\":0}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}\n\n\
         data: [DONE]\n\n",
        // OpenRouter: comments while it waits, reasoning apart, an empty choice with the counts.
        ": OPENROUTER PROCESSING\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"reasoning\":\"hm\"},\"finish_reason\":null}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"tool_calls\":[{\"index\":0,\"id\":\"call_A1\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\\\"p\\\"}\"}}]},\"finish_reason\":\"tool_calls\",\"native_finish_reason\":\"tool_calls\"}]}\n\n\
         data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}\n\n\
         data: [DONE]\n\n",
    ];
    for stream in streams {
        let server = Server::start(vec![Reply::Streams(vec![stream.as_bytes().to_vec()])]).await;
        let name: ModelName = format!("openai-api/{}/v1/m", server.address).parse().unwrap();
        let serving = Serving {
            on_progress: Some(Arc::new(|_| {})),
            ..Serving::default()
        };
        let model = serve(&name, serving, Arc::new(FixedClock(Timestamp::UNIX_EPOCH))).unwrap();
        let response = model.chat(&ask(0, "x")).await.unwrap();
        let call = &response.calls[0];
        assert_eq!(
            (call.id.as_str(), call.name.as_str(), call.arguments.as_str()),
            ("call_A1", "read_file", r#"{"path":"p"}"#),
            "{stream}"
        );
        assert_eq!((response.text.as_str(), response.usage.total()), ("", 5));
    }
}
