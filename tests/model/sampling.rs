//! Efforts and temperatures, under the name that each provider's reference gives them.

use std::sync::Arc;

use jiff::Timestamp;
use reprise::domain::clock::FixedClock;
use reprise::domain::sampling::{Effort, Sampling};
use reprise::model::capabilities::ModelTable;
use reprise::model::key::Key;
use reprise::model::served::{Serving, serve};
use serde_json::{Map, Value, json};

use crate::support::dialects::{CANARY, Dialect, said};
use crate::support::requests::ask;
use crate::support::server::{Server, json as answered};

/// The fields by which any provider is told how to draw.
const FIELDS: [&str; 7] = [
    "reasoning_effort",
    "reasoning",
    "thinking",
    "output_config",
    "temperature",
    "include",
    "max_tokens",
];

/// What of those a model is sent.
async fn sent(name: &str, dialect: Dialect, effort: Option<Effort>, temperature: Option<f64>) -> Value {
    let sampling = Sampling {
        effort,
        temperature,
        ..Sampling::default()
    };
    let body = asked_with(name, dialect, sampling).await;
    let told: Map<_, _> = FIELDS
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), body.get(field)?.clone())))
        .collect();
    Value::Object(told)
}

/// The body that a model is sent.
async fn asked_with(name: &str, dialect: Dialect, sampling: Sampling) -> Value {
    let server = Server::start(vec![answered(dialect.body(&said("done")))]).await;
    let serving = Serving {
        key: Some(Key::new(CANARY).unwrap()),
        base: Some(format!("http://{}/v1", server.address).parse().unwrap()),
        sampling,
        capabilities: ModelTable::built_in().unwrap().get(name),
        ..Serving::default()
    };
    let clock = Arc::new(FixedClock(Timestamp::UNIX_EPOCH));
    let model = serve(&name.parse().unwrap(), serving, clock).unwrap();
    let mut request = ask(0, "x");
    request.max_output_tokens = Some(8_000);
    model.chat(&request).await.unwrap();
    server.seen()[0].body.clone()
}

#[tokio::test]
async fn an_effort_goes_under_each_providers_own_name() {
    let limit = json!(8_000);
    let encrypted = json!(["reasoning.encrypted_content"]);
    for (name, dialect, effort, expected) in [
        (
            "openai/gpt-5",
            Dialect::Chat,
            Effort::Minimal,
            json!({"reasoning_effort": "minimal"}),
        ),
        (
            "openai/gpt-5.2",
            Dialect::Chat,
            Effort::Xhigh,
            json!({"reasoning_effort": "xhigh"}),
        ),
        (
            "openai/gpt-5-pro",
            Dialect::Responses,
            Effort::High,
            json!({"reasoning": {"effort": "high"}, "include": encrypted}),
        ),
        (
            "anthropic/claude-opus-4-5",
            Dialect::Messages,
            Effort::Low,
            json!({"output_config": {"effort": "low"}, "max_tokens": limit}),
        ),
        (
            "anthropic/claude-sonnet-4-5",
            Dialect::Messages,
            Effort::Medium,
            json!({"thinking": {"type": "enabled", "budget_tokens": 4_000}, "max_tokens": limit}),
        ),
        (
            "anthropic/claude-sonnet-4-5",
            Dialect::Messages,
            Effort::None,
            json!({"max_tokens": limit}),
        ),
        (
            "gemini/gemini-2.5-pro",
            Dialect::Chat,
            Effort::Low,
            json!({"reasoning_effort": "low", "max_tokens": limit}),
        ),
        (
            "openrouter/some/model",
            Dialect::Chat,
            Effort::High,
            json!({"reasoning": {"effort": "high"}, "max_tokens": limit}),
        ),
        (
            "vllm/openai/gpt-oss-20b",
            Dialect::Chat,
            Effort::Medium,
            json!({"reasoning_effort": "medium", "max_tokens": limit}),
        ),
    ] {
        assert_eq!(
            sent(name, dialect, Some(effort), None).await,
            expected,
            "{name} {effort}"
        );
    }
}

#[tokio::test]
async fn published_settings_go_under_the_keys_of_each_dialect() {
    let published = Sampling {
        temperature: Some(0.2),
        top_p: Some(0.5),
        stop: vec!["</content>".to_owned(), "Observation:".to_owned()]
            .try_into()
            .unwrap(),
        ..Sampling::default()
    };
    for (name, dialect, stops, further) in [
        ("openai/gpt-4.1", Dialect::Chat, "stop", published),
        (
            "anthropic/claude-haiku-4-5",
            Dialect::Messages,
            "stop_sequences",
            published,
        ),
    ] {
        let body = asked_with(name, dialect, further).await;
        assert_eq!(
            (&body["temperature"], &body["top_p"]),
            (&json!(0.2), &json!(0.5)),
            "{name}"
        );
        assert_eq!(body[stops], json!(["</content>", "Observation:"]), "{name}");
    }
    // Responses has no key for stop texts, and a model that is asked so is refused with them.
    let narrow = Sampling {
        stop: Default::default(),
        temperature: None,
        ..published
    };
    let body = asked_with("vllm/unknown", Dialect::Chat, narrow).await;
    assert_eq!(body["top_p"], 0.5);
    assert!(
        body.get("stop").is_none() && body.get("temperature").is_none(),
        "{body}"
    );
}

#[tokio::test]
async fn a_temperature_is_sent_where_it_is_taken_and_nothing_where_nothing_was_asked() {
    let limit = json!(8_000);
    for (name, dialect, expected) in [
        ("openai/gpt-4.1", Dialect::Chat, json!({"temperature": 0.5})),
        (
            "anthropic/claude-haiku-4-5",
            Dialect::Messages,
            json!({"temperature": 0.5, "max_tokens": limit}),
        ),
        (
            "mistral/mistral-large-latest",
            Dialect::Chat,
            json!({"temperature": 0.5, "max_tokens": limit}),
        ),
    ] {
        assert_eq!(sent(name, dialect, None, Some(0.5)).await, expected, "{name}");
    }
    assert_eq!(sent("openai/gpt-5", Dialect::Chat, None, None).await, json!({}));
}
