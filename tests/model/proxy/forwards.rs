//! Requests and answers on their way through, byte for byte, and what is kept from it.

use serde_json::{Value, json};

use super::client::{post, try_post};
use super::rig::{CHAT, GEMINI_SIDE, MESSAGES, RESPONSES, Rig, SCRIPTED, SIDES, Settings};
use crate::support::dialects::{CANARY, called, said};
use crate::support::server::{Server, json as answered, reply};

/// Bodies as programs write them: spaces, escapes, orders and numbers that a rewriting would lose.
const WRITTEN: [&str; 4] = [
    "{ \"messages\" : [{\"role\":\"user\",\"content\":\"caf\\u00e9 1.0 1e2\"}],\n\t\"model\":\"alias\", \"max_tokens\" :100,\"temperature\":0.70,\"metadata\":{\"model\":\"alias\"} }\n",
    "{\"input\":[{\"type\":\"reasoning\",\"encrypted_content\":\"a\\/b=\"}], \"model\" : \"alias\",\"store\":false,\"tools\":[ {\"type\":\"namespace\",\"name\":\"n\",\"tools\":[]} ],\"max_output_tokens\":100}",
    "{\"model\":\"alias\",\"max_tokens\":100,\"messages\":[{\"role\":\"system\",\"content\":\"mid\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"\\ud83d\\ude00\",\"signature\":\"c2ln\"}]}],\"context_management\":{}}",
    "{\"contents\":[{\"parts\":[{\"thoughtSignature\":\"c2ln\",\"functionCall\":{\"name\":\"a\",\"args\":{\"model\":\"alias\"}}}]}],\"generationConfig\":{\"maxOutputTokens\":100}}",
];

#[tokio::test]
async fn a_request_goes_on_as_it_was_written_but_for_the_models_name() {
    for (side, written) in SIDES.into_iter().zip(WRITTEN) {
        let gemini =
            json!({"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]});
        let answer = match SCRIPTED.iter().find(|(scripted, _)| *scripted == side) {
            Some((_, dialect)) => dialect.body(&said("hi")),
            None => gemini,
        };
        let text = format!(" {answer}\n");
        let provider = Server::start(vec![reply(200, "application/json", &text)]).await;
        let rig = Rig::new(side, provider.address).await;
        let headers = [
            (
                "anthropic-beta",
                "prompt-caching-2024-07-31, context-1m-2025-08-07,code-execution-2025-08-25",
            ),
            ("x-codex-installation-id", "id-7"),
            ("user-agent", "agent/1"),
        ];
        let got = try_post(&rig, side.path, &rig.token, &headers, written)
            .await
            .unwrap();
        assert_eq!(
            (got.status, got.kind.as_str()),
            (200, "application/json"),
            "{side:?} {got:?}"
        );
        assert_eq!(got.body, text, "the answer is the provider's, byte for byte");
        let seen = provider.seen().remove(0);
        // The first is the request's own, and any other is data.
        let expected = match written.starts_with("{\"contents") {
            true => written.to_owned(),
            false => {
                let at = written.rfind("\"metadata\":").unwrap_or(written.len());
                written[..at].replace("\"alias\"", "\"m\"") + &written[at..]
            }
        };
        assert_eq!(String::from_utf8(seen.bytes).unwrap(), expected, "{side:?}");
        let head = seen.head.to_ascii_lowercase();
        assert!(
            head.contains(CANARY) && !head.contains(rig.token.expose()),
            "{head}"
        );
        assert!(
            head.contains("anthropic-beta: prompt-caching-2024-07-31\r\n"),
            "{head}"
        );
        assert!(!head.contains("id-7") && !head.contains("agent/1"), "{head}");
        let call = &rig.keeper.recorded()[0].call;
        assert_eq!(call.asked, written);
        assert!(
            call.stripped.contains(&"x-codex-installation-id".to_owned()),
            "{:?}",
            call.stripped
        );
        assert_eq!(call.removed, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_stream_is_served_as_it_came_and_without_tokens_that_nobody_asked_for() {
    for (side, dialect) in SCRIPTED {
        let answer = called(&[("a", "read", "{\"p\": 1}")]);
        let provider = Server::start(vec![dialect.reply(&answer, true)]).await;
        let rig = Rig::new(side, provider.address).await;
        let got = post(&rig, side.streamed_path, side.request("x", true).to_string()).await;
        let mut events = dialect.events(&answer);
        if side == CHAT {
            let options = &provider.seen()[0].body["stream_options"];
            assert_eq!(options, &json!({"include_usage": true}));
            events.retain(|event| !event.contains("\"choices\":[]"));
        }
        assert_eq!(
            (got.status, got.kind.as_str()),
            (200, "text/event-stream"),
            "{got:?}"
        );
        assert_eq!(got.body, events.concat());
        let mut asked = side.request("x", true);
        asked["stream_options"] = json!({"include_usage": true});
        if side == CHAT {
            let got = post(&rig, side.streamed_path, asked.to_string()).await;
            assert_eq!(got.body, dialect.events(&answer).concat(), "it asked for them");
        }
    }
}

#[tokio::test]
async fn gemini_is_asked_at_its_own_address_with_the_key_in_its_own_header() {
    let chunk = json!({"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2}});
    let stream = format!("data: {chunk}\r\n\r\n");
    let provider = Server::start(vec![reply(200, "text/event-stream", &stream)]).await;
    let rig = Rig::new(GEMINI_SIDE, provider.address).await;
    let body = GEMINI_SIDE.request("x", true).to_string();
    let got = post(&rig, GEMINI_SIDE.streamed_path, body).await;
    assert_eq!((got.status, got.body), (200, stream));
    let head = &provider.seen()[0].head;
    assert!(
        head.starts_with("POST /v1beta/models/m:streamGenerateContent?alt=sse HTTP"),
        "{head}"
    );
    assert!(head.contains(&format!("x-goog-api-key: {CANARY}")), "{head}");
    let usage = rig.keeper.recorded()[0].end.clone().unwrap();
    assert_eq!((usage.input, usage.output), (7, 2));
}

#[tokio::test]
async fn what_reaches_the_network_from_the_provider_is_taken_out_unless_it_is_allowed() {
    let mut request = RESPONSES.request("x", false);
    request["tools"] = json!([{"type": "web_search"}, {"type": "function", "name": "run"}]);
    request["client_metadata"] = json!({"id": "installation-7"});
    request["service_tier"] = json!("priority");
    request["input"] = json!([{"role": "user", "content": [{"type": "input_image", "image_url": "https://leak.example/?d=1"}]}]);
    for hosted_tools in [false, true] {
        let provider = Server::start(vec![answered(SCRIPTED[1].1.body(&said("hi")))]).await;
        let settings = Settings {
            hosted_tools,
            ..Settings::default()
        };
        let rig = Rig::with(RESPONSES, provider.address, settings).await;
        assert_eq!(post(&rig, RESPONSES.path, request.to_string()).await.status, 200);
        let sent = &provider.seen()[0].body;
        let kinds: Vec<&Value> = sent["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["type"])
            .collect();
        assert_eq!(kinds.len(), if hosted_tools { 2 } else { 1 });
        assert_eq!(sent.to_string().contains("leak.example"), hosted_tools);
        assert!(sent.get("client_metadata").is_none() && sent.get("service_tier").is_none());
        let removed = rig.keeper.recorded()[0].call.removed.clone();
        let network = ["tool web_search", "1 addresses in input"].map(str::to_owned);
        assert_eq!(
            network.iter().all(|one| removed.contains(one)),
            !hosted_tools,
            "{removed:?}"
        );
    }
}

#[tokio::test]
async fn fields_that_are_not_known_are_taken_out_and_named_whatever_their_capitals() {
    let provider = Server::start(vec![answered(SCRIPTED[0].1.body(&said("hi")))]).await;
    let rig = Rig::new(CHAT, provider.address).await;
    let plain = CHAT.request("x", false);
    let mut request = plain.clone();
    let further = json!({
        "MODEL": "dear", "Max_Tokens": 100_000, "N": 8, "preset": "p", "fallbacks": ["dear"], "api_base": "http://x",
        "extra_headers": {"a": "b"}, "search_parameters": {}, "enable_search": true, "functions": [],
        "documents": [{"url": "https://x"}], "images": ["https://x"], "provider": {}, "user": "u",
    });
    let further = further.as_object().unwrap();
    request.as_object_mut().unwrap().extend(further.clone());
    assert_eq!(post(&rig, CHAT.path, request.to_string()).await.status, 200);
    let sent = &provider.seen()[0].body;
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(sent), names(&plain));
    assert_eq!(
        rig.keeper.recorded()[0].call.removed,
        names(&further.clone().into())
    );
}

#[tokio::test]
async fn another_dialect_another_model_and_what_cannot_be_priced_are_refused_with_a_sentence() {
    let provider = Server::start(vec![answered(json!({}))]).await;
    let rig = Rig::new(MESSAGES, provider.address).await;
    let other = post(&rig, CHAT.path, CHAT.request("x", false).to_string()).await;
    let words = other.document()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        words.contains("asked in Messages, and not in chat completions")
            && words.contains("--model openai-api/127.0.0.1:4000/v1/NAME"),
        "{words}"
    );
    assert_eq!(other.status, 401);
    let mut unknown = MESSAGES.request("x", false);
    unknown["model"] = json!("claude-other");
    let got = post(&rig, MESSAGES.path, unknown.to_string()).await;
    assert_eq!(got.status, 400);
    assert!(
        got.body.contains("serves no model `claude-other`"),
        "{}",
        got.body
    );
    let rig = Rig::new(RESPONSES, provider.address).await;
    for (field, value) in [
        ("previous_response_id", json!("resp_1")),
        ("background", json!(true)),
        ("prompt", json!({"id": "pmpt_1"})),
    ] {
        let mut request = RESPONSES.request("x", false);
        request[field] = value;
        let got = post(&rig, RESPONSES.path, request.to_string()).await;
        assert!(got.status == 400 && got.body.contains(field), "{got:?}");
    }
    let rig_of_gemini = Rig::new(GEMINI_SIDE, provider.address).await;
    for (body, why) in [
        (json!({"cached_content": "cachedContents/1"}), "cached_content"),
        (
            json!({"generationConfig": {"candidateCount": 8}, "generation_config": {}}),
            "generationConfig",
        ),
        (
            json!({"generation_config": {"candidate_count": 8}}),
            "candidate_count",
        ),
    ] {
        let got = post(&rig_of_gemini, GEMINI_SIDE.path, body.to_string()).await;
        assert!(got.status == 400 && got.body.contains(why), "{got:?}");
    }
    let twice = "{\"model\":\"alias\",\"model\":\"gpt-expensive\",\"input\":[]}";
    assert_eq!(post(&rig, RESPONSES.path, twice).await.status, 400);
    assert_eq!(provider.seen().len(), 0, "nobody was asked");
    assert_eq!(rig.keeper.turned_away.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn models_are_listed_and_tokens_counted_without_the_provider() {
    let provider = Server::start(vec![answered(json!({}))]).await;
    let rig = Rig::new(MESSAGES, provider.address).await;
    let counted = post(
        &rig,
        "/v1/messages/count_tokens",
        MESSAGES.request("x", false).to_string(),
    )
    .await;
    assert!(counted.document()["input_tokens"].as_u64().unwrap() > 10);
    let nothing = post(&rig, "/v1/files", "{}").await;
    assert_eq!(nothing.status, 404);
    assert_eq!(provider.seen().len(), 0);
}
