//! The schema files, and the tables of `docs/authoring.md`, are the ones that the types
//! generate. With `REPRISE_UPDATE=1` they are written instead of compared.

use std::path::Path;

use reprise::catalog::schemas;
use serde_json::Value;

#[test]
fn schema_files_are_generated_from_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let update = is_update();
    let mut expected = Vec::new();
    for (name, schema) in schemas::all() {
        jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        let file = format!("{name}.schema.json");
        let text = format!("{}\n", serde_json::to_string_pretty(schema).unwrap());
        let path = folder.join(&file);
        if update {
            std::fs::write(&path, &text).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "schemas/{file} differs from the types; run the test with REPRISE_UPDATE=1"
        );
        expected.push(file);
    }
    expected.sort();
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, expected, "schemas/ holds a file that no type generates");
}

fn is_update() -> bool {
    std::env::var_os("REPRISE_UPDATE").is_some_and(|value| value == "1")
}

/// A value's shape in a word or two.
fn shape(schema: &Value) -> String {
    if let Some(choices) = schema["enum"].as_array() {
        let words: Vec<String> = (choices.iter())
            .filter_map(|choice| choice.as_str().map(|word| format!("`{word}`")))
            .collect();
        return words.join(", ");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let shapes: Vec<String> = (choices.iter())
            .filter(|choice| choice["type"] != "null")
            .map(shape)
            .collect();
        return shapes.join(" or ");
    }
    let name = match &schema["type"] {
        Value::Array(types) => types[0].as_str().unwrap_or_default(),
        one => one.as_str().unwrap_or_default(),
    };
    match name {
        "array" if schema["items"]["properties"].is_object() => "list of tables".to_owned(),
        "array" => format!("list of {}s", shape(&schema["items"])),
        "object" => "table".to_owned(),
        "string" => "text".to_owned(),
        "integer" => "whole number".to_owned(),
        other => other.to_owned(),
    }
}

/// The rows of a table of keys, those of tables below it behind them.
fn rows(schema: &Value, section: &str, text: &mut String) {
    let required: Vec<&str> = (schema["required"].as_array().into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let choices = value["anyOf"].as_array().into_iter().flatten();
        let table = (choices.chain([value, &value["items"]])).find(|one| one["properties"].is_object());
        let needed = if required.contains(&key.as_str()) {
            "yes"
        } else {
            ""
        };
        let said = value["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ");
        text.push_str(&format!(
            "| `{section}{key}` | {} | {needed} | {said} |\n",
            shape(value)
        ));
        if let Some(table) = table {
            rows(table, &format!("{section}{key}."), text);
        }
    }
}

#[test]
fn the_tables_of_the_authoring_page_are_generated_from_the_types() {
    let all = schemas::all();
    let (_, schema) = all.iter().find(|(name, _)| *name == "study").unwrap();
    let mut expected = "| key | value | needed | meaning |\n|---|---|---|---|\n".to_owned();
    rows(schema, "", &mut expected);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/authoring.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- keys of study.toml -->\n").unwrap();
    let (found, after) = rest.split_once("<!-- end of the keys -->").unwrap();
    if is_update() {
        let new = format!("{before}<!-- keys of study.toml -->\n{expected}<!-- end of the keys -->{after}");
        std::fs::write(&path, new).unwrap();
        return;
    }
    assert!(
        found == expected,
        "docs/authoring.md differs from the types; run the test with REPRISE_UPDATE=1"
    );
}
