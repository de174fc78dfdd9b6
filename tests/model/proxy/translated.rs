//! Calls in one dialect to a model that is asked in another.

use reprise::domain::conversation::{ChatResponse, Finish, Position};
use reprise::domain::proxy_dialect::ProxyDialect;
use reprise::model::proxy::answer_reading;
use reprise::model::proxy::proxy_dialect::assembly;
use reprise::model::sse::{Decoder, Event};
use reprise::policy::limits::Caps;
use serde_json::{Value, json};

use super::client::{Got, ask, post, try_post};
use super::rig::{CHAT, GEMINI_SIDE, MESSAGES, RESPONSES, Rig, SCRIPTED, SIDES, STAGE, Settings, Side};
use crate::support::dialects::{CANARY, Dialect, End, Said, called, said};
use crate::support::server::{Server, json as answered, reply};

async fn translating(side: Side, provider: &Server) -> Rig {
    let settings = Settings {
        translates: true,
        ..Settings::default()
    };
    Rig::with(side, provider.address, settings).await
}

/// An answer as a client of the dialect reads it.
fn read(got: &Got, wire: ProxyDialect, streamed: bool) -> ChatResponse {
    let document = match streamed {
        false => got.document(),
        true => {
            let mut assembly = assembly(wire);
            Decoder::default().feed(got.body.as_bytes(), |event: Event| assembly.take(event).unwrap());
            // The end of generateContent is that of the stream.
            assert!(
                assembly.is_done() || wire == ProxyDialect::GenerateContent,
                "{got:?}"
            );
            assembly.finish().unwrap()
        }
    };
    let position = Position {
        stage: STAGE,
        turn: 0,
    };
    answer_reading::read(wire, "client", position, &document).unwrap()
}

fn pairs() -> Vec<((Side, Dialect), Side)> {
    let all = SCRIPTED.into_iter();
    all.flat_map(|model| SIDES.into_iter().map(move |client| (model, client)))
        // Who is asked in Responses is asked in chat completions as well.
        .filter(|((side, _), client)| side != client && (*side, *client) != (RESPONSES, CHAT))
        .collect()
}

#[tokio::test]
async fn every_client_gets_the_answer_of_every_model_and_it_is_paid_and_recorded() {
    let endings = [
        (said("hello"), Finish::Stop),
        (
            called(&[("a", "read", "{\"p\": 1}"), ("b", "read", "{}")]),
            Finish::Stop,
        ),
        (
            Said {
                end: End::Length,
                ..said("cut")
            },
            Finish::Length,
        ),
        (
            Said {
                end: End::Filtered,
                ..said("no")
            },
            Finish::Refused,
        ),
    ];
    for ((model, dialect), client) in pairs() {
        for (answer, finish) in &endings {
            for streamed in [false, true] {
                let provider = Server::start(vec![dialect.reply(answer, streamed)]).await;
                let rig = translating(model, &provider).await;
                let got = ask(&rig, client, "look", streamed).await;
                let told = format!("{client:?} of {model:?}, {streamed}: {got:?}");
                let kind = if streamed {
                    "text/event-stream"
                } else {
                    "application/json"
                };
                assert_eq!((got.status, got.kind.as_str()), (200, kind), "{told}");
                let response = read(&got, client.wire, streamed);
                assert_eq!(
                    (&response.text, response.finish),
                    (&answer.text, *finish),
                    "{told}"
                );
                let calls: Vec<_> = response
                    .calls
                    .iter()
                    .map(|call| (call.id.clone(), call.name.clone()))
                    .collect();
                let wanted: Vec<_> = answer
                    .calls
                    .iter()
                    .map(|(id, name, _)| (id.clone(), name.clone()))
                    .collect();
                assert_eq!(calls, wanted, "{told}");
                for (call, (_, _, arguments)) in response.calls.iter().zip(&answer.calls) {
                    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                    assert_eq!(value(&call.arguments), value(arguments), "{told}");
                }
                let recorded = &rig.keeper.recorded()[0];
                assert_eq!(
                    recorded.body,
                    got.body.as_bytes(),
                    "what was recorded is what was served"
                );
                let usage = recorded.end.clone().unwrap();
                assert_eq!((usage.input, usage.cached, usage.output), (10, 4, 2), "{told}");
                // A stream of chat completions tells its tokens where that is asked for.
                if client != CHAT || !streamed {
                    assert_eq!((response.usage.input, response.usage.output), (10, 2), "{told}");
                }
                let seen = provider.seen().remove(0);
                assert_eq!(seen.body["model"], "m", "{told}");
                assert_eq!(seen.body["stream"] == true, streamed, "{told}");
                assert!(seen.head.contains(CANARY), "{}", seen.head);
                assert!(seen.body.to_string().contains("look"), "{}", seen.body);
            }
        }
    }
}

#[tokio::test]
async fn a_dialect_that_the_model_speaks_goes_on_byte_for_byte_beside_translated_ones() {
    let provider = Server::start(vec![answered(Dialect::Chat.body(&said("hi")))]).await;
    let rig = translating(CHAT, &provider).await;
    let body = "{ \"model\":\"alias\", \"messages\" : [],\"max_tokens\":7, \"brand_new\":1.0}";
    let got = post(&rig, CHAT.path, body).await;
    assert_eq!(got.status, 200, "{got:?}");
    let sent = String::from_utf8(provider.seen().remove(0).bytes).unwrap();
    assert_eq!(sent, body.replace("alias", "m"));
    assert!(rig.keeper.recorded()[0].call.translation.is_none());
}

#[tokio::test]
async fn what_would_be_lost_is_refused_with_its_place_and_nobody_is_asked() {
    let provider = Server::start(vec![answered(Dialect::Chat.body(&said("hi")))]).await;
    let rig = translating(CHAT, &provider).await;
    let mut freeform = RESPONSES.request("x", true);
    freeform["tools"] = json!([{"type": "function", "name": "a"}, {"type": "custom", "name": "apply_patch"}]);
    let mut prefilled = MESSAGES.request("x", false);
    prefilled["messages"] = json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": "{"}]);
    let mut signed = GEMINI_SIDE.request("x", false);
    signed["contents"] = json!([{"role": "model", "parts": [{"text": "y", "thoughtSignature": "c2ln"}]}]);
    for (side, request, place) in [
        (
            GEMINI_SIDE,
            signed,
            "`contents[0].parts[0].thoughtSignature` is a signed thought",
        ),
        (
            RESPONSES,
            freeform,
            "`tools[1]` is the freeform tool `apply_patch`",
        ),
        (MESSAGES, prefilled, "`messages[1]` begins the answer"),
    ] {
        let got = post(&rig, side.path, request.to_string()).await;
        assert_eq!(
            (got.status, got.should_retry.as_deref()),
            (400, Some("false")),
            "{got:?}"
        );
        let message = got.document()["error"]["message"].as_str().unwrap().to_owned();
        assert!(
            message.contains(place) && message.contains("--translate"),
            "{message}"
        );
    }
    assert_eq!(provider.seen().len(), 0);
    assert_eq!(rig.keeper.turned_away.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn advice_and_hosted_tools_and_headers_are_taken_out_and_named() {
    let provider = Server::start(vec![answered(Dialect::Chat.body(&said("hi")))]).await;
    let rig = translating(CHAT, &provider).await;
    let mut request = MESSAGES.request("x", false);
    request["tools"] = json!([
        {"type": "web_search_20250305", "name": "web_search"},
        {"name": "bash", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
    ]);
    request["metadata"] = json!({"user_id": "device-7"});
    request["thinking"] = json!({"type": "enabled", "budget_tokens": 90});
    let headers = [
        ("anthropic-beta", "context-management-2025-06-27"),
        ("x-session", "s-7"),
    ];
    let got = try_post(&rig, MESSAGES.path, &rig.token, &headers, request.to_string())
        .await
        .unwrap();
    assert_eq!(got.status, 200, "{got:?}");
    let seen = provider.seen().remove(0);
    let sent = format!("{}{}", seen.head, seen.body);
    for gone in [
        "web_search",
        "device-7",
        "context-management",
        "s-7",
        "cache_control",
        "thinking",
    ] {
        assert!(!sent.contains(gone), "{gone}: {sent}");
    }
    let call = rig.keeper.recorded()[0].call.clone();
    assert_eq!(
        call.removed,
        [
            "metadata",
            "tool web_search_20250305",
            "thinking",
            "cache_control of tools"
        ]
    );
    assert!(
        call.stripped.contains(&"anthropic-beta".to_owned()),
        "{:?}",
        call.stripped
    );
    assert_eq!(call.limit.least, 1);
}

#[tokio::test]
async fn caps_lower_the_limit_and_end_the_client_in_its_own_dialect() {
    let provider = Server::start(vec![answered(Dialect::Chat.body(&said("hi")))]).await;
    let settings = Settings {
        translates: true,
        caps: Caps {
            turns: Some(1),
            tokens: Some(1000),
            ..Caps::default()
        },
        ..Settings::default()
    };
    let rig = Rig::with(CHAT, provider.address, settings).await;
    let mut request = RESPONSES.request("x", false);
    request["max_output_tokens"] = json!(100_000);
    let got = post(&rig, RESPONSES.path, request.to_string()).await;
    assert_eq!(got.status, 200, "{got:?}");
    let limit = provider.seen()[0].body["max_tokens"].as_u64().unwrap();
    assert!((1..1000).contains(&limit), "{limit}");
    for (side, status, code) in [
        (GEMINI_SIDE, 402, "FAILED_PRECONDITION"),
        (RESPONSES, 400, "budget_exhausted"),
        (MESSAGES, 402, "billing_error"),
    ] {
        let got = ask(&rig, side, "more", true).await;
        assert!(got.status == status && got.body.contains(code), "{got:?}");
    }
    assert_eq!(provider.seen().len(), 1);
}

#[tokio::test]
async fn a_refusal_of_the_provider_is_told_in_the_clients_dialect() {
    let long =
        "{\"object\":\"error\",\"message\":\"This model's maximum context length is 8 tokens\",\"code\":400}";
    let provider = Server::start(vec![reply(400, "application/json", long)]).await;
    let rig = translating(CHAT, &provider).await;
    let got = ask(&rig, RESPONSES, "x", true).await;
    assert_eq!(got.status, 400);
    let error = &got.document()["error"];
    assert_eq!(error["code"], "context_length_exceeded", "{error}");
    let got = ask(&rig, MESSAGES, "x", false).await;
    let document = got.document();
    assert_eq!((got.status, &document["type"]), (400, &json!("error")));
    let message = document["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("prompt is too long") && message.contains("is 8 tokens"),
        "{message}"
    );
    let got = ask(&rig, GEMINI_SIDE, "x", true).await;
    let error = got.document()["error"].take();
    assert_eq!((got.status, &error["status"]), (400, &json!("INVALID_ARGUMENT")));
    assert!(
        error["message"].as_str().unwrap().contains("is 8 tokens"),
        "{error}"
    );
}

#[tokio::test]
async fn a_call_that_comes_again_is_paid_once_and_ids_are_of_the_conversation() {
    let again = called(&[("call_0", "bash", "{}")]);
    let provider = Server::start(vec![answered(Dialect::Chat.body(&again))]).await;
    let rig = translating(CHAT, &provider).await;
    let mut request = RESPONSES.request("x", false);
    request["input"] = json!([
        {"role": "user", "content": "x"},
        {"type": "function_call", "call_id": "call_0", "name": "bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_0", "output": "1"},
    ]);
    let first = post(&rig, RESPONSES.path, request.to_string()).await;
    let second = post(&rig, RESPONSES.path, request.to_string()).await;
    assert_eq!(first, second);
    assert_eq!((provider.seen().len(), rig.pool.used().turns), (1, 1));
    // A server that counts from zero in every answer would have two calls of one id.
    let id = first.document()["output"][0]["call_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(id != "call_0" && !id.is_empty(), "{id}");
}

#[tokio::test]
async fn generate_content_is_carried_without_what_its_provider_would_do_itself() {
    let provider = Server::start(vec![answered(Dialect::Chat.body(&said("hi")))]).await;
    let rig = translating(CHAT, &provider).await;
    let file = json!({"fileData": {"mimeType": "image/png", "fileUri": "https://example.org/a.png"}});
    let body = json!({
        "contents": [{"role": "user", "parts": [{"text": "look"}, file]}],
        "tools": [{"googleSearch": {}, "functionDeclarations": [{"name": "a"}]}, {"codeExecution": {}}],
        "generation_config": {"maxOutputTokens": 7, "topK": 64, "thinkingConfig": {"includeThoughts": true}},
        "safetySettings": [],
    });
    let headers = [("x-goog-api-client", "gl-node/24"), ("user-agent", "GeminiCLI")];
    let got = try_post(&rig, GEMINI_SIDE.path, &rig.token, &headers, body.to_string())
        .await
        .unwrap();
    assert_eq!(got.status, 200, "{got:?}");
    let seen = provider.seen().remove(0);
    let sent = format!("{}{}", seen.head, seen.body);
    for gone in [
        "googleSearch",
        "example.org",
        "gl-node",
        "GeminiCLI",
        "top_k",
        "safety",
    ] {
        assert!(!sent.contains(gone), "{gone}: {sent}");
    }
    assert_eq!(seen.body["max_tokens"], 7, "{}", seen.body);
    let call = rig.keeper.recorded()[0].call.clone();
    assert_eq!(
        call.removed,
        [
            "tool googleSearch",
            "tool codeExecution",
            "1 addresses in contents",
            "safetySettings",
            "topK of generationConfig",
            "includeThoughts of thinkingConfig"
        ]
    );
    // What is refused before it is read, and what is none, in this dialect's words.
    let several = json!({"contents": [], "generationConfig": {"candidateCount": 2}});
    let kept = json!({"contents": [], "cachedContent": "cachedContents/1"});
    for body in [several, kept, json!([]), json!({"contents": 1})] {
        let got = post(&rig, GEMINI_SIDE.streamed_path, body.to_string()).await;
        let error = got.document()["error"].take();
        assert_eq!((got.status, &error["code"]), (400, &json!(400)), "{got:?}");
    }
    assert_eq!(provider.seen().len(), 1);
}
