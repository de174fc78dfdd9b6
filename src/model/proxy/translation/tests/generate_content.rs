use serde_json::{Value, json};

use super::rig::Fate::{At, Dropped, LeftBehind, Refused};
use super::rig::{Fate, FateTable, carry};
use crate::domain::proxy_dialect::ProxyDialect::{ChatCompletions, GenerateContent, Messages, Responses};

/// A request with one of everything that is carried.
fn request() -> Value {
    json!({
        "systemInstruction": {"role": "user", "parts": [{"text": "be brief"}, {"text": "be exact"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "look"}, {"text": "well"}]},
            {"role": "model", "parts": [
                {"text": "I "},
                {"text": "look."},
                {"functionCall": {"id": "c1", "name": "bash", "args": {"n": 1}}},
                {"functionCall": {"name": "read"}},
                {"text": ""},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "bash", "response": {"output": "one"}}},
                {"functionResponse": {"name": "read", "response": {"error": "two"}}},
                {"text": "go on"},
            ]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "bash", "description": "Runs.", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}}},
        ]}, {"functionDeclarations": [{"name": "read", "parametersJsonSchema": {"type": "object", "$schema": "x"}}]}],
        "generationConfig": {"maxOutputTokens": 50},
    })
}

#[test]
fn contents_become_messages() {
    // Numbers that a reader would round stay as they are.
    let exact = request()
        .to_string()
        .replace("{\"n\":1}", "{\"n\": 12345678901234567890123, \"x\": 1e400}");
    let carried = carry(GenerateContent, ChatCompletions, &exact).unwrap();
    assert_eq!(
        carried.body["messages"],
        json!([
            {"role": "system", "content": "be brief\n\nbe exact"},
            {"role": "user", "content": "look\n\nwell"},
            {"role": "assistant", "content": "I look.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{\"n\": 12345678901234567890123, \"x\": 1e400}"}},
                {"id": "reprise_call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ]},
            {"role": "tool", "content": "one", "tool_call_id": "c1"},
            {"role": "tool", "content": "The tool reports an error:\ntwo", "tool_call_id": "reprise_call_1"},
            {"role": "user", "content": "go on"},
        ])
    );
    let function = |index: usize| carried.body["tools"][index]["function"].clone();
    assert_eq!(
        (
            function(0)["description"].clone(),
            function(0)["parameters"].clone()
        ),
        (
            json!("Runs."),
            json!({"type": "object", "properties": {"n": {"type": "integer"}}})
        )
    );
    // A JSON Schema is the client's own.
    assert_eq!(
        function(1)["parameters"],
        json!({"type": "object", "$schema": "x"})
    );
    assert_eq!(carried.body["max_tokens"], 50);
    assert_eq!(carried.removed, Vec::<String>::new());
}

#[test]
fn names_in_snake_case_are_the_same_request() {
    let snake = request().to_string();
    let snake = [
        ("systemInstruction", "system_instruction"),
        ("functionCall", "function_call"),
        ("functionResponse", "function_response"),
        ("functionDeclarations", "function_declarations"),
        ("parametersJsonSchema", "parameters_json_schema"),
        ("generationConfig", "generation_config"),
    ]
    .into_iter()
    .fold(snake, |text, (camel, name)| {
        text.replace(&format!("\"{camel}\""), &format!("\"{name}\""))
    });
    let both = [request().to_string(), snake.clone()]
        .map(|text| carry(GenerateContent, ChatCompletions, &text).unwrap().body);
    assert_eq!(both[0], both[1]);
    let twice = snake.replacen('{', "{\"systemInstruction\":{\"parts\":[]},", 1);
    let why = carry(GenerateContent, ChatCompletions, &twice).unwrap_err();
    assert!(why.to_string().contains("systemInstruction"), "{why}");
}

/// Holds changes of the request to what becomes of each.
pub fn check(fates: Vec<(&str, Value, Fate)>) {
    let table = FateTable {
        from: GenerateContent,
        into: ChatCompletions,
        request: request(),
    };
    for (pointer, value, fate) in fates {
        table.check(pointer, value, &fate);
    }
}

#[test]
fn every_key_has_its_fate() {
    let schema = json!({"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": true}}});
    let calling = |value: Value| json!({"functionCallingConfig": value});
    check(vec![
        ("/brand_new", json!(1), Refused("brandNew")),
        ("/model", json!("models/other"), LeftBehind),
        (
            "/cachedContent",
            json!("cachedContents/1"),
            Refused("cachedContent"),
        ),
        (
            "/cached_content",
            json!("cachedContents/1"),
            Refused("cachedContent"),
        ),
        (
            "/safetySettings",
            json!([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]),
            Dropped("safetySettings"),
        ),
        ("/labels", json!({"a": "b"}), Dropped("labels")),
        (
            "/systemInstruction",
            json!("be brief"),
            Refused("systemInstruction"),
        ),
        (
            "/systemInstruction/parts/0",
            json!({"inlineData": {"mimeType": "image/png", "data": "AAEC"}}),
            Refused("systemInstruction"),
        ),
        (
            "/systemInstruction/parts/0",
            json!({"functionCall": {"name": "bash"}}),
            Refused("systemInstruction.parts[0]"),
        ),
        (
            "/tools/0",
            json!({"googleSearch": {}}),
            Refused("tools[0].googleSearch"),
        ),
        (
            "/tools/0/functionDeclarations/0/parametersJsonSchema",
            json!({}),
            Refused("tools[0].functionDeclarations[0].parametersJsonSchema"),
        ),
        (
            "/tools/0/functionDeclarations/0/parameters",
            json!({"type": "TUPLE"}),
            Refused("tools[0].functionDeclarations[0].parameters.type"),
        ),
        (
            "/tools/0/functionDeclarations/0/parameters",
            json!({"type": "ARRAY", "maxItems": "3"}),
            At(
                "/tools/0/function/parameters",
                json!({"type": "array", "maxItems": 3}),
            ),
        ),
        (
            "/tools/0/functionDeclarations/0/behavior",
            json!("NON_BLOCKING"),
            Refused("tools[0].functionDeclarations[0].behavior"),
        ),
        (
            "/tools/0/functionDeclarations/0/behavior",
            json!("BLOCKING"),
            LeftBehind,
        ),
        (
            "/tools/0/functionDeclarations/0/response",
            json!({"type": "STRING"}),
            Dropped("response of tools"),
        ),
        ("/toolConfig", json!({}), LeftBehind),
        (
            "/toolConfig",
            calling(json!({})),
            At("/tool_choice", json!("auto")),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "auto"})),
            At("/tool_choice", json!("auto")),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "NONE"})),
            At("/tool_choice", json!("none")),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "ANY"})),
            At("/tool_choice", json!("required")),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "ANY", "allowedFunctionNames": ["read"]})),
            At("/tool_choice/function/name", json!("read")),
        ),
        (
            "/tool_config",
            json!({"function_calling_config": {"mode": "ANY", "allowed_function_names": ["read", "bash"]}}),
            At("/tool_choice", json!("required")),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "ANY", "allowedFunctionNames": ["write"]})),
            Refused("toolConfig.functionCallingConfig.allowedFunctionNames"),
        ),
        (
            "/toolConfig",
            calling(json!({"allowedFunctionNames": ["read"]})),
            Refused("toolConfig.functionCallingConfig.allowedFunctionNames"),
        ),
        (
            "/toolConfig",
            calling(json!({"mode": "SOMETIMES"})),
            Refused("toolConfig.functionCallingConfig.mode"),
        ),
        (
            "/toolConfig",
            json!({"retrievalConfig": {"languageCode": "de"}}),
            Refused("toolConfig.retrievalConfig"),
        ),
        (
            "/generationConfig/temperature",
            json!(1),
            At("/temperature", json!(1.0)),
        ),
        (
            "/generationConfig/temperature",
            json!("1"),
            Refused("generationConfig.temperature"),
        ),
        ("/generationConfig/top_p", json!(0.25), At("/top_p", json!(0.25))),
        (
            "/generationConfig/topK",
            json!(64),
            Dropped("topK of generationConfig"),
        ),
        (
            "/generationConfig/topK",
            json!(1),
            Refused("generationConfig.topK"),
        ),
        (
            "/generationConfig/maxOutputTokens",
            json!("50"),
            Refused("generationConfig.maxOutputTokens"),
        ),
        (
            "/generationConfig/maxOutputTokens",
            json!(1.5),
            Refused("generationConfig.maxOutputTokens"),
        ),
        (
            "/generationConfig/stopSequences",
            json!(["END"]),
            At("/stop", json!(["END"])),
        ),
        (
            "/generationConfig/stopSequences",
            json!(["a", "b", "c", "d", "e"]),
            Refused("generationConfig.stopSequences"),
        ),
        ("/generationConfig/seed", json!(7), At("/seed", json!(7))),
        (
            "/generationConfig/seed",
            json!(-7),
            Refused("generationConfig.seed"),
        ),
        (
            "/generationConfig/seed",
            json!("7"),
            Refused("generationConfig.seed"),
        ),
        ("/generationConfig/candidateCount", json!(1), LeftBehind),
        (
            "/generationConfig/candidateCount",
            json!(2),
            Refused("generationConfig.candidateCount"),
        ),
        (
            "/generationConfig/responseMimeType",
            json!("text/plain"),
            LeftBehind,
        ),
        (
            "/generationConfig/responseMimeType",
            json!("text/x.enum"),
            Refused("generationConfig.responseMimeType"),
        ),
        (
            "/generationConfig/responseMimeType",
            json!("application/json"),
            At("/response_format/type", json!("json_object")),
        ),
        (
            "/generationConfig",
            json!({"responseMimeType": "application/json", "responseSchema": schema}),
            At(
                "/response_format/json_schema/schema",
                json!({"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}),
            ),
        ),
        (
            "/generationConfig",
            json!({"responseMimeType": "application/json", "responseJsonSchema": {"const": 1}}),
            At("/response_format/json_schema/schema", json!({"const": 1})),
        ),
        (
            "/generationConfig",
            json!({"responseMimeType": "application/json", "responseSchema": schema, "responseJsonSchema": {}}),
            Refused("generationConfig.responseJsonSchema"),
        ),
        (
            "/generationConfig/responseSchema",
            schema.clone(),
            Refused("generationConfig.responseSchema"),
        ),
        (
            "/generationConfig/responseModalities",
            json!(["TEXT"]),
            LeftBehind,
        ),
        (
            "/generationConfig/responseModalities",
            json!(["TEXT", "IMAGE"]),
            Refused("generationConfig.responseModalities[1]"),
        ),
        ("/generationConfig/presencePenalty", json!(0.0), LeftBehind),
        (
            "/generationConfig/presencePenalty",
            json!(0.5),
            Refused("generationConfig.presencePenalty"),
        ),
        (
            "/generationConfig/responseLogprobs",
            json!(true),
            Refused("generationConfig.responseLogprobs"),
        ),
        (
            "/generationConfig/speechConfig",
            json!({}),
            Refused("generationConfig.speechConfig"),
        ),
        (
            "/generationConfig/thinkingConfig",
            json!({"includeThoughts": true}),
            Dropped("includeThoughts of thinkingConfig"),
        ),
        (
            "/generationConfig/thinkingConfig",
            json!({"thinkingBudget": 0}),
            Dropped("thinkingBudget of thinkingConfig"),
        ),
        (
            "/generationConfig/thinkingConfig",
            json!({"thinkingLevel": "LOW"}),
            At("/reasoning_effort", json!("low")),
        ),
        (
            "/generationConfig/thinkingConfig",
            json!({"thinkingLevel": "HIGH"}),
            Dropped("thinkingLevel of thinkingConfig"),
        ),
    ]);
}

#[test]
fn what_the_other_dialects_have_no_place_for_is_named_or_refused_there() {
    let mut asking = request();
    asking["generationConfig"]["seed"] = json!(7);
    asking["toolConfig"] =
        json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["bash"]}});
    let carried = carry(GenerateContent, Responses, &asking.to_string()).unwrap();
    assert_eq!(carried.removed, ["seed"]);
    assert_eq!(
        carried.body["tool_choice"],
        json!({"type": "function", "name": "bash"})
    );
    assert_eq!(carried.body["input"][3]["call_id"], "c1");
    assert_eq!(carried.body["max_output_tokens"], 50);
    let carried = carry(GenerateContent, Messages, &asking.to_string()).unwrap();
    assert_eq!(carried.removed, ["seed"]);
    assert_eq!(
        carried.body["tool_choice"],
        json!({"type": "tool", "name": "bash"})
    );
    assert_eq!(carried.body["max_tokens"], 50);
    asking["toolConfig"]["functionCallingConfig"] = json!({"mode": "VALIDATED"});
    let carried = carry(GenerateContent, ChatCompletions, &asking.to_string()).unwrap();
    assert_eq!(carried.removed, ["mode VALIDATED of functionCallingConfig"]);
    assert_eq!(carried.body["tool_choice"], "auto");
    let json = json!("application/json");
    for (into, key, value, place) in [
        (
            Responses,
            "stopSequences",
            json!(["END"]),
            "generationConfig.stopSequences",
        ),
        (
            Messages,
            "responseMimeType",
            json,
            "generationConfig.responseMimeType",
        ),
    ] {
        let mut request = request();
        request["generationConfig"][key] = value;
        let why = carry(GenerateContent, into, &request.to_string())
            .unwrap_err()
            .to_string();
        assert!(
            why.contains(&format!("`{place}`")) && why.contains("generateContent"),
            "{why}"
        );
    }
}
