use serde_json::{Value, json};

use super::generate_content::check;
use super::rig::Fate::{At, Dropped, LeftBehind, Refused};
use super::rig::carry;
use crate::domain::proxy_dialect::ProxyDialect::{ChatCompletions, GenerateContent};

#[test]
fn every_part_has_its_fate() {
    let png = |data: &str| json!({"inlineData": {"mimeType": "image/png", "data": data}});
    check(vec![
        ("/contents", json!({"role": "user"}), Refused("contents")),
        ("/contents/0/role", json!("system"), Refused("contents[0].role")),
        ("/contents/0/role", json!(null), Refused("contents[0].role")),
        ("/contents/0/role", json!(""), Refused("contents[0].role")),
        ("/contents/2/role", json!("function"), LeftBehind),
        ("/contents/0/author", json!("ann"), Refused("contents[0].author")),
        ("/contents/0/parts", json!("look"), Refused("contents[0].parts")),
        (
            "/contents/0/parts",
            json!([]),
            At("/messages/1/content", json!("")),
        ),
        ("/contents/0/parts/0", json!({}), Refused("contents[0].parts[0]")),
        (
            "/contents/0/parts/0",
            json!({"text": 1}),
            Refused("contents[0].parts[0].text"),
        ),
        (
            "/contents/0/parts/0",
            json!({"text": "a", "functionCall": {"name": "bash"}}),
            Refused("contents[0].parts[0]"),
        ),
        (
            "/contents/0/parts/1",
            png("AAEC"),
            At(
                "/messages/1/content/1/image_url/url",
                json!("data:image/png;base64,AAEC"),
            ),
        ),
        // Both alphabets of Base64, filled up or not.
        (
            "/contents/0/parts/1",
            png("-_8"),
            At(
                "/messages/1/content/1/image_url/url",
                json!("data:image/png;base64,+/8="),
            ),
        ),
        (
            "/contents/0/parts/1",
            png("A"),
            Refused("contents[0].parts[1].inlineData"),
        ),
        (
            "/contents/0/parts/1",
            json!({"inline_data": {"mime_type": "application/pdf", "data": "AAEC"}}),
            Refused("contents[0].parts[1].inlineData"),
        ),
        (
            "/contents/0/parts/1",
            json!({"fileData": {"fileUri": "https://x/a.png"}}),
            Refused("contents[0].parts[1].fileData"),
        ),
        (
            "/contents/0/parts/1/mediaResolution",
            json!({"level": "MEDIA_RESOLUTION_HIGH"}),
            Dropped("mediaResolution of parts"),
        ),
        (
            "/contents/0/parts/1",
            json!({"functionCall": {"name": "bash"}}),
            Refused("contents[0].parts[1]"),
        ),
        (
            "/contents/0/parts/1/thought",
            json!(true),
            Refused("contents[0].parts[1]"),
        ),
        (
            "/contents/1/parts/0",
            json!({"functionResponse": {"name": "bash", "response": {}}}),
            Refused("contents[1].parts[0]"),
        ),
        (
            "/contents/1/parts/0",
            png("AAEC"),
            Refused("contents[1].parts[0]"),
        ),
        (
            "/contents/1/parts/-",
            json!({"text": "hm", "thought": true}),
            Dropped("thoughts that are not signed"),
        ),
        (
            "/contents/1/parts/0/thought",
            json!("true"),
            Refused("contents[1].parts[0].thought"),
        ),
        ("/contents/1/parts/0/thought", json!(false), LeftBehind),
        (
            "/contents/1/parts/2/thought",
            json!(true),
            Refused("contents[1].parts[2].functionCall"),
        ),
        (
            "/contents/1/parts/2/thoughtSignature",
            json!("c2ln"),
            Refused("contents[1].parts[2].thoughtSignature"),
        ),
        (
            "/contents/1/parts/-",
            json!({"text": "hm", "thought": true, "thought_signature": "c2ln"}),
            Refused("contents[1].parts[5].thoughtSignature"),
        ),
        (
            "/contents/1/parts/2/thoughtSignature",
            json!("skip_thought_signature_validator"),
            Dropped("thoughtSignature of parts, which signs nothing"),
        ),
        (
            "/contents/1/parts/0",
            json!({"executableCode": {"language": "PYTHON", "code": "1"}}),
            Refused("contents[1].parts[0].executableCode"),
        ),
        (
            "/contents/1/parts/-",
            json!({"text": "behind"}),
            Refused("contents[1].parts[5]"),
        ),
        (
            "/contents/1/parts/2/functionCall/args",
            json!([1]),
            Refused("contents[1].parts[2].functionCall.args"),
        ),
        (
            "/contents/1/parts/2/functionCall/name",
            json!(null),
            Refused("contents[1].parts[2].functionCall.name"),
        ),
        (
            "/contents/1/parts/2/functionCall/id",
            json!(7),
            Refused("contents[1].parts[2].functionCall.id"),
        ),
        (
            "/contents/1/parts/2/functionCall/willContinue",
            json!(true),
            Refused("contents[1].parts[2].functionCall.willContinue"),
        ),
        (
            "/contents/1/parts/3/functionCall/id",
            json!("c1"),
            Refused("contents[1].parts[3]"),
        ),
        (
            "/contents/2/parts/0/functionResponse/id",
            json!("c9"),
            Refused("contents[2].parts[0]"),
        ),
        (
            "/contents/2/parts/0/functionResponse/name",
            json!("read"),
            Refused("contents[2].parts[0]"),
        ),
        (
            "/contents/2/parts/1/functionResponse/id",
            json!("made-up-by-the-client"),
            LeftBehind,
        ),
        (
            "/contents/2/parts/1",
            json!({"functionResponse": {"id": "c1", "name": "bash", "response": {"output": "again"}}}),
            Refused("contents[2].parts[1]"),
        ),
        (
            "/contents/2/parts/-",
            json!({"functionResponse": {"name": "read", "response": {}}}),
            Refused("contents[2].parts[3]"),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!("one"),
            Refused("contents[2].parts[0].functionResponse.response"),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!(null),
            Refused("contents[2].parts[0].functionResponse.response"),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!({"output": [1, {"a": 2.0}]}),
            At("/messages/3/content", json!("[1,{\"a\":2.0}]")),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!({"output": "one", "status": 0}),
            At("/messages/3/content", json!("{\"output\":\"one\",\"status\":0}")),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!({"output": null}),
            At("/messages/3/content", json!("{\"output\":null}")),
        ),
        (
            "/contents/2/parts/0/functionResponse/response",
            json!({}),
            At("/messages/3/content", json!("{}")),
        ),
        (
            "/contents/2/parts/0/functionResponse/scheduling",
            json!("SILENT"),
            Refused("contents[2].parts[0].functionResponse.scheduling"),
        ),
        (
            "/contents/2/parts/0/functionResponse/parts",
            json!([png("AAEC")]),
            At(
                "/messages/5/content/1/image_url/url",
                json!("data:image/png;base64,AAEC"),
            ),
        ),
        (
            "/contents/2/parts/0/functionResponse/parts",
            json!([{"inlineData": {"mimeType": "image/png", "data": "AAEC", "displayName": "a.png"}}]),
            Refused("contents[2].parts[0].functionResponse.parts[0].inlineData.displayName"),
        ),
        (
            "/contents/-",
            json!({"role": "model", "parts": [{"text": "So"}]}),
            Refused("contents[3]"),
        ),
    ]);
}

/// The contents as messages of chat completions, or the refusal.
fn turned(contents: Value) -> Result<Value, String> {
    let request = json!({ "contents": contents }).to_string();
    let carried = carry(GenerateContent, ChatCompletions, &request);
    carried
        .map(|carried| carried.body["messages"].clone())
        .map_err(|why| why.to_string())
}

fn called(calls: &[&str]) -> Value {
    let parts = calls
        .iter()
        .map(|tool| json!({"functionCall": {"name": tool, "args": {}}}));
    json!({"role": "model", "parts": parts.collect::<Vec<_>>()})
}

fn given(results: &[(&str, &str)]) -> Value {
    let parts = results
        .iter()
        .map(|(tool, text)| json!({"functionResponse": {"name": tool, "response": {"output": text}}}));
    json!({"role": "user", "parts": parts.collect::<Vec<_>>()})
}

/// The ids of the results, with their texts.
fn results(messages: &Value) -> Vec<(String, String)> {
    let tools = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["role"] == "tool");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    tools
        .map(|one| (text(&one["tool_call_id"]), text(&one["content"])))
        .collect()
}

#[test]
fn calls_without_ids_have_their_results_in_their_order() {
    let said = json!({"role": "user", "parts": [{"text": "look"}]});
    let messages = turned(json!([
        said,
        called(&["bash", "read", "bash"]),
        given(&[("bash", "1"), ("bash", "2"), ("read", "3")]),
        // The same names again, in another turn, and a turn in two contents.
        called(&["bash"]),
        called(&["read"]),
        given(&[("read", "4")]),
        given(&[("bash", "5")]),
    ]));
    let id = |number: u32| format!("reprise_call_{number}");
    let expected = [(1, "1"), (3, "2"), (2, "3"), (5, "4"), (4, "5")];
    let expected: Vec<_> = expected
        .map(|(number, text)| (id(number), text.to_owned()))
        .into();
    assert_eq!(results(&messages.unwrap()), expected);
    // A call that never had its result does not take that of a later one.
    let messages = turned(json!([
        called(&["bash"]),
        said,
        called(&["bash"]),
        given(&[("bash", "late")])
    ]));
    assert_eq!(results(&messages.unwrap()), [(id(2), "late".to_owned())]);
    let messages = turned(json!([
        called(&["bash", "read"]),
        given(&[("bash", "1")]),
        called(&["read"]),
        given(&[("read", "2")]),
    ]));
    let of_the_last_turn = [(id(1), "1".to_owned()), (id(3), "2".to_owned())];
    assert_eq!(results(&messages.unwrap()), of_the_last_turn);
    for (contents, place) in [
        (
            json!([said, given(&[("bash", "of nothing")])]),
            "contents[1].parts[0]",
        ),
        (
            json!([called(&["bash"]), said, given(&[("bash", "late")])]),
            "contents[2].parts[0]",
        ),
        (
            json!([called(&["bash"]), given(&[("bash", "1"), ("bash", "2")])]),
            "contents[1].parts[1]",
        ),
    ] {
        let why = turned(contents).unwrap_err();
        assert!(why.contains(&format!("`{place}`")), "{why}");
    }
}

#[test]
fn pictures_between_results_follow_them_and_words_between_them_are_refused() {
    let mut both = given(&[("bash", "1"), ("bash", "2")]);
    let parts = both["parts"].as_array_mut().unwrap();
    parts.insert(
        1,
        json!({"inlineData": {"mimeType": "image/png", "data": "AAEC"}}),
    );
    let messages = turned(json!([called(&["bash", "bash"]), both])).unwrap();
    let roles: Vec<_> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["role"].clone())
        .collect();
    assert_eq!(roles, ["assistant", "tool", "tool", "user"]);
    both["parts"][1] = json!({"text": "and then"});
    let why = turned(json!([called(&["bash", "bash"]), both])).unwrap_err();
    assert!(why.contains("`contents[1].parts[2]`"), "{why}");
}

#[test]
fn a_content_that_is_alone_is_the_users() {
    for role in [json!(null), json!(""), json!("user")] {
        let messages = turned(json!([{"role": role, "parts": [{"text": "look"}]}])).unwrap();
        assert_eq!(messages, json!([{"role": "user", "content": "look"}]), "{role}");
    }
    assert_eq!(turned(json!([])).unwrap(), json!([]));
    let why = turned(json!([{"parts": [{"functionCall": {"name": "bash"}}]}])).unwrap_err();
    assert!(why.contains("`contents[0].parts[0]`"), "{why}");
}
