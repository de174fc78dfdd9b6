//! A schema as a short outline for a prompt: keys in order, each with its type
//! or what belongs there.

use std::fmt::Write as _;

use serde_json::Value;

use crate::catalog::fit::EXTRA;

/// The outline of a schema, indented by two spaces a level.
pub fn outline(schema: &Value) -> String {
    let mut text = String::new();
    part(schema, 0, &mut text);
    text
}

/// The schema itself, or the first of its choices that is a value.
pub fn chosen(schema: &Value) -> &Value {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    choices
        .and_then(|choices| {
            choices
                .iter()
                .find(|choice| choice.get("type") != Some(&"null".into()))
        })
        .unwrap_or(schema)
}

fn part(schema: &Value, depth: usize, text: &mut String) {
    let schema = chosen(schema);
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        text.push_str("{\n");
        for (key, property) in properties.iter().filter(|(key, _)| *key != EXTRA) {
            let _ = write!(text, "{}\"{key}\": ", "  ".repeat(depth + 1));
            part(property, depth + 1, text);
            text.push('\n');
        }
        let _ = write!(text, "{}}}", "  ".repeat(depth));
    } else if let Some(items) = schema.get("items") {
        text.push('[');
        part(items, depth, text);
        text.push(']');
        about(schema, text);
    } else if let Some(each) = schema.get("additionalProperties").filter(|each| each.is_object()) {
        text.push_str("{\"…\": ");
        part(each, depth, text);
        text.push('}');
        about(schema, text);
    } else {
        let _ = write!(text, "<{}>", kind(schema));
        about(schema, text);
    }
}

/// The kind of a single value, in words: its choices, or its types.
pub fn kind(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let names: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return names.join(" or ");
    }
    let word = |name: &str| match name {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => other.to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(one)) => word(one),
        Some(Value::Array(many)) => {
            let names: Vec<_> = many.iter().filter_map(Value::as_str).map(word).collect();
            names.join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

fn about(schema: &Value, text: &mut String) {
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let _ = write!(text, "  // {}", description.replace('\n', " "));
    }
}
