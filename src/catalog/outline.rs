//! A schema as a short outline for a prompt: keys in order, each with its type
//! or what belongs there.

use std::fmt::Write as _;

use serde_json::Value;

use crate::catalog::fit::EXTRA;

/// The outline of a schema, indented by two spaces a level; `left_out` are the keys, by JSON
/// pointer, that it does not show.
pub fn outline(schema: &Value, left_out: &[&str]) -> String {
    let mut outline = Outline {
        left_out,
        text: String::new(),
    };
    outline.part(schema, "", 0);
    outline.text
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

struct Outline<'a> {
    left_out: &'a [&'a str],
    text: String,
}

impl Outline<'_> {
    fn part(&mut self, schema: &Value, path: &str, depth: usize) {
        let schema = chosen(schema);
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            self.text.push_str("{\n");
            for (key, property) in properties.iter().filter(|(key, _)| *key != EXTRA) {
                let below = format!("{path}/{key}");
                if self.left_out.contains(&below.as_str()) {
                    continue;
                }
                let _ = write!(self.text, "{}\"{key}\": ", "  ".repeat(depth + 1));
                self.part(property, &below, depth + 1);
                self.text.push('\n');
            }
            let _ = write!(self.text, "{}}}", "  ".repeat(depth));
        } else if let Some(items) = schema.get("items") {
            self.text.push('[');
            self.part(items, path, depth);
            self.text.push(']');
            self.about(schema);
        } else if let Some(each) = schema.get("additionalProperties").filter(|each| each.is_object()) {
            self.text.push_str("{\"…\": ");
            self.part(each, path, depth);
            self.text.push('}');
            self.about(schema);
        } else {
            let _ = write!(self.text, "<{}>", written(schema));
            self.about(schema);
        }
    }

    fn about(&mut self, schema: &Value) {
        if let Some(description) = schema.get("description").and_then(Value::as_str) {
            let _ = write!(self.text, "  // {}", description.replace('\n', " "));
        }
    }
}

/// The kind of a single value as JSON writes it: `"<" | "=" | ">"`.
fn written(schema: &Value) -> String {
    match schema.get("enum").and_then(Value::as_array) {
        Some(choices) => {
            let names: Vec<String> = choices.iter().map(ToString::to_string).collect();
            names.join(" | ")
        }
        None => kind(schema),
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
