use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::dialects::{Dialect, Said, called as calling, said};
use super::server::{Reply, Seen, Server, json as answered, reply};
use super::support::{Called, Place, called};

const KEY: &str = "sk-canary-7f3a9d5e1b2c";

/// What a model says that can do everything, in the dialect it is asked in.
fn able(seen: &Seen) -> Said {
    let body = seen.body.to_string();
    if body.contains("ripe banana") {
        return said(r#"{"name": "banana", "colour": "yellow"}"#);
    }
    if body.contains("left half") {
        return said("Red, blue");
    }
    if body.contains("twice") {
        return calling(&[("a", "add", r#"{"a":2,"b":3}"#), ("b", "add", r#"{"a":4,"b":5}"#)]);
    }
    if body.contains("Call the tool") {
        return calling(&[("a", "add", r#"{"a":2,"b":3}"#)]);
    }
    said("ready")
}

fn dialect(seen: &Seen) -> Dialect {
    match seen.head.split(' ').nth(1) {
        Some("/v1/messages") => Dialect::Messages,
        Some("/v1/responses") => Dialect::Responses,
        _ => Dialect::Chat,
    }
}

/// A server that answers everything, and its runtime.
fn server(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> (Runtime, SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let server = runtime.block_on(Server::answering(std::sync::Arc::new(move |_, seen| {
        answer(seen)
    })));
    (runtime, server.address)
}

fn tested(place: &Place, model: &str, more: &[&str], variables: &[(&str, &str)]) -> Called {
    let mut command = place.command(&[&["doctor", "model", "test", model][..], more].concat());
    command.envs(variables.iter().copied());
    called(command.output().unwrap())
}

#[test]
fn a_model_that_can_do_everything_passes_in_every_dialect() {
    let (_runtime, address) = server(|seen| {
        let streamed = seen.body["stream"] == true;
        dialect(seen).reply(&able(seen), streamed)
    });
    let place = Place::new();
    let base = format!("http://{address}/v1");
    for (model, variables) in [
        (
            "openai/gpt-5".to_owned(),
            [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", base.as_str())],
        ),
        (
            "openai/gpt-5-pro".to_owned(),
            [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", base.as_str())],
        ),
        (
            "anthropic/claude-sonnet-4-5".to_owned(),
            [("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", base.as_str())],
        ),
        (
            format!("openai-api/{address}/v1/m"),
            [("REPRISE_MODEL_KEY", KEY), ("UNUSED", "")],
        ),
    ] {
        for more in [vec!["--json"], vec!["--json", "--stream"]] {
            let called = tested(&place, &model, &more, &variables);
            assert_eq!(called.status, 0, "{model}: {}{}", called.stdout, called.stderr);
            let found: Value = serde_json::from_str(&called.stdout).unwrap();
            let checks = found["checks"].as_array().unwrap();
            assert_eq!(checks.len(), 6);
            for check in checks {
                assert_eq!(check["works"], true, "{model}: {check}");
            }
            assert_eq!(found["calls"], 5);
            assert_eq!(found["usage"]["input"], 50);
            assert_eq!(found["cost"].is_u64(), !model.starts_with("openai-api"));
            assert!(!format!("{}{}", called.stdout, called.stderr).contains(KEY));
        }
    }
}

#[test]
fn what_does_not_work_is_named_and_told_by_the_exit_code() {
    let (_runtime, address) = server(|seen| {
        let body = seen.body.to_string();
        if body.contains("image_url") {
            return reply(
                400,
                "application/json",
                r#"{"error": {"message": "this model sees nothing"}}"#,
            );
        }
        let answer = if body.contains("twice") {
            calling(&[("a", "add", r#"{"a":2,"b":3}"#)])
        } else if body.contains("ripe banana") {
            said("A banana is yellow.")
        } else {
            able(seen)
        };
        answered(Dialect::Chat.body(&Said {
            tokens: (0, 0, 0),
            ..answer
        }))
    });
    let place = Place::new();
    let unknown = tested(&place, &format!("openai-api/{address}/v1/m"), &[], &[]);
    assert_eq!(unknown.status, 0, "{}", unknown.stderr);
    let shown = |text: &str| text.replace(&address.to_string(), "HOST");
    insta::assert_snapshot!(
        "model_test",
        format!("{}---\n{}", shown(&unknown.stderr), shown(&unknown.stdout))
    );

    let base = format!("http://{address}/v1");
    let promised = tested(
        &place,
        "openai/gpt-4o",
        &[],
        &[("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", base.as_str())],
    );
    assert_eq!(promised.status, 1, "{}", promised.stderr);
    assert!(
        promised
            .stdout
            .contains("(the table of models says that it works)")
    );
}

#[test]
fn a_provider_that_turns_everything_down_is_the_callers_to_mend() {
    let (_runtime, address) = server(|_| {
        let error = json!({"error": {"message": format!("wrong key {KEY}"), "code": "invalid_api_key"}});
        reply(401, "application/json", &error.to_string())
    });
    let place = Place::new();
    let refused = tested(
        &place,
        &format!("openai-api/{address}/v1/m"),
        &[],
        &[("REPRISE_MODEL_KEY", KEY)],
    );
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("set another one") && !refused.stderr.contains(KEY),
        "{}",
        refused.stderr
    );
    for (model, part) in [
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("azure/mine", "AZURE_OPENAI_ENDPOINT"),
        ("recorded:python", "recording"),
        ("gpt-5", "openai/MODEL"),
    ] {
        let called = tested(&place, model, &[], &[]);
        assert_eq!(called.status, 2, "{model}");
        assert!(called.stderr.contains(part), "{}", called.stderr);
    }
}

#[test]
fn a_keyring_serves_and_one_that_others_may_read_is_refused() {
    let (_runtime, address) = server(|seen| {
        assert!(seen.head.contains(&format!("authorization: Bearer {KEY}")));
        answered(Dialect::Chat.body(&able(seen)))
    });
    let place = Place::new();
    let folder = place.path().join(".config/reprise");
    std::fs::create_dir_all(&folder).unwrap();
    let ring = folder.join("keys.toml");
    std::fs::write(&ring, format!("\"openai-api/{address}\" = \"{KEY}\"\n")).unwrap();
    let model = format!("openai-api/{address}/v1/m");
    std::fs::set_permissions(&ring, std::fs::Permissions::from_mode(0o644)).unwrap();
    let refused = tested(&place, &model, &[], &[]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("chmod 600"), "{}", refused.stderr);
    std::fs::set_permissions(&ring, std::fs::Permissions::from_mode(0o600)).unwrap();
    let served = tested(&place, &model, &[], &[]);
    assert_eq!(served.status, 0, "{}", served.stderr);
}

#[test]
fn models_are_listed_with_prices_and_keys_by_their_place_alone() {
    let place = Place::new();
    let list = |arguments: &[&str]| {
        let mut command = place.command(&[&["doctor", "model", "list"], arguments].concat());
        let called = called(command.env("ANTHROPIC_API_KEY", KEY).output().unwrap());
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(!called.stdout.contains(KEY) && !called.stderr.contains(KEY));
        called.stdout
    };
    let text = list(&[]);
    let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row("anthropic ").ends_with("found in the environment"), "{text}");
    assert!(row("openai ").ends_with("none: set OPENAI_API_KEY"), "{text}");
    assert!(row("openai/gpt-5 ").ends_with("1.25   0.125   10"), "{text}");
    let value: Value = serde_json::from_str(&list(&["--json"])).unwrap();
    let models = value["models"].as_array().unwrap();
    let found = models
        .iter()
        .find(|model| model["model"] == "openai/gpt-5")
        .unwrap();
    assert_eq!(found["price"]["input"], 1.25);
    assert_eq!(found["vision"], true);
    // What the table of models has for every provider is no model.
    assert!(
        models
            .iter()
            .all(|model| model["model"].as_str().unwrap().contains('/')),
        "{models:?}"
    );
}
