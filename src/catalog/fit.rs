//! Bending a value into the shape that a schema asks for, without losing anything.
//!
//! The walk is driven by the schema that is generated from the artifact's
//! types, so types, schema and leniency cannot drift apart.

use serde_json::{Map, Value};

use crate::catalog::fault::{AnswerDeviation, AnswerDeviationKind};
use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::number_text;

/// The key under which unknown keys are kept.
pub const EXTRA: &str = "extra";

/// Bends `value` to `schema`, and notes each difference. What cannot be bent
/// is left as it is, for the validation that follows to refuse.
pub fn fit(schema: &Value, value: Value, deviations: &mut Vec<AnswerDeviation>) -> Value {
    Fitting { deviations }.fit(schema, value, "")
}

/// A JSON pointer one step further down.
pub fn child(path: &str, key: &str) -> String {
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

struct Fitting<'a> {
    deviations: &'a mut Vec<AnswerDeviation>,
}

/// The types that a schema allows at its top.
fn allowed(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl Fitting<'_> {
    fn note(&mut self, path: &str, kind: AnswerDeviationKind, note: String) {
        self.deviations.push(AnswerDeviation {
            path: path.to_owned(),
            kind,
            note,
        });
    }

    fn converted(&mut self, path: &str, from: &str, to: &str) {
        self.note(
            path,
            AnswerDeviationKind::Type,
            format!("{from} was read where {to} is expected."),
        );
    }

    fn fit(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            if value.is_null() {
                return value;
            }
            let some = choices.iter().find(|choice| allowed(choice) != ["null"]);
            if let Value::String(text) = &value
                && number_text::is_absent(text)
                && some.is_some_and(|choice| !allowed(choice).contains(&"string"))
            {
                return Value::Null;
            }
            return some.map_or(value.clone(), |choice| self.fit(choice, value, path));
        }
        let types = allowed(schema);
        if types.contains(&"object") {
            self.object(schema, value, path)
        } else if types.contains(&"array") {
            self.array(schema, value, path)
        } else if types.contains(&"number") || types.contains(&"integer") {
            self.number(&types, value, path)
        } else if types.contains(&"boolean") {
            self.boolean(&types, value, path)
        } else if types.contains(&"string") {
            self.string(schema, &types, value, path)
        } else {
            value
        }
    }

    fn object(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        let nullable = allowed(schema).contains(&"null");
        let given = match value {
            Value::Object(given) => given,
            Value::Null if nullable => return Value::Null,
            Value::String(text) if nullable && number_text::is_absent(&text) => return Value::Null,
            Value::Null => Map::new(),
            other => return other,
        };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            let Some(each) = schema.get("additionalProperties").filter(|each| each.is_object()) else {
                return Value::Object(given);
            };
            return given
                .into_iter()
                .map(|(key, value)| {
                    let place = child(path, &key);
                    let value = self.fit(each, value, &place);
                    (key, value)
                })
                .collect::<Map<_, _>>()
                .into();
        };
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let mut fitted = Map::new();
        let mut extra = Map::new();
        for (key, value) in given {
            let place = child(path, &key);
            if key == EXTRA && properties.contains_key(EXTRA) {
                match value {
                    Value::Object(kept) => extra.extend(kept),
                    other => drop(extra.insert(key, other)),
                }
            } else if let Some(property) = properties.get(&key) {
                let value = self.fit(property, value, &place);
                fitted.insert(key, value);
            } else {
                let fate = if properties.contains_key(EXTRA) {
                    "kept under `extra`"
                } else {
                    "left out"
                };
                self.note(
                    &place,
                    AnswerDeviationKind::UnknownKey,
                    format!("`{key}` is not a key of this part; it is {fate}."),
                );
                extra.insert(key, value);
            }
        }
        for key in properties.keys() {
            if key != EXTRA && !fitted.contains_key(key) && !required.contains(&key.as_str()) {
                self.note(
                    &child(path, key),
                    AnswerDeviationKind::MissingKey,
                    format!("`{key}` is missing."),
                );
            }
        }
        if !extra.is_empty() && properties.contains_key(EXTRA) {
            fitted.insert(EXTRA.to_owned(), Value::Object(extra));
        }
        Value::Object(fitted)
    }

    fn array(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        let items = schema.get("items").unwrap_or(&Value::Null);
        let members = match value {
            Value::Array(members) => members,
            // An empty field says that there is nothing.
            Value::Null => return Value::Array(Vec::new()),
            Value::String(text) if number_text::is_absent(&text) => return Value::Array(Vec::new()),
            Value::Object(map) if allowed(items) == ["string"] => {
                self.converted(path, "an object", "a list of texts");
                map.into_iter()
                    .map(|(key, value)| Value::String(format!("{key}: {}", plain(&value))))
                    .collect()
            }
            // A bare scalar in a list of objects stays, and validation refuses it.
            one => {
                self.converted(path, "one value", "a list");
                vec![one]
            }
        };
        members
            .into_iter()
            .enumerate()
            .map(|(index, member)| self.fit(items, member, &format!("{path}/{index}")))
            .collect()
    }

    /// Numbers, and texts that are nothing but one number; other texts are kept
    /// where the schema allows text.
    fn number(&mut self, types: &[&str], value: Value, path: &str) -> Value {
        let nullable = types.contains(&"null");
        match value {
            Value::String(text) => {
                if nullable && number_text::is_absent(&text) {
                    return Value::Null;
                }
                let number = bare_number(&text);
                match number {
                    Some(number) => {
                        self.converted(path, "a number in quotes", "a number");
                        number
                    }
                    None => Value::String(text),
                }
            }
            Value::Bool(_) | Value::Array(_) | Value::Object(_) if types.contains(&"string") => {
                self.converted(path, type_of(&value), "a number or a text");
                Value::String(plain(&value))
            }
            other => other,
        }
    }

    fn boolean(&mut self, types: &[&str], value: Value, path: &str) -> Value {
        let Value::String(text) = &value else {
            return value;
        };
        let lower = text.trim().to_ascii_lowercase();
        let word = lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let read = match word {
            "true" | "yes" | "two" => Some(true),
            "false" | "no" | "one" => Some(false),
            _ => None,
        };
        match read {
            Some(flag) => {
                self.converted(path, "a text", "true or false");
                Value::Bool(flag)
            }
            None if types.contains(&"null") && number_text::is_absent(text) => Value::Null,
            None => value,
        }
    }

    fn string(&mut self, schema: &Value, types: &[&str], value: Value, path: &str) -> Value {
        if let (Some(choices), Value::String(text)) = (schema.get("enum").and_then(Value::as_array), &value) {
            let lower = text.trim().to_ascii_lowercase();
            let matched = choices
                .iter()
                .find(|choice| choice.as_str().is_some_and(|name| lower.starts_with(name)));
            if let Some(choice) = matched
                && choice != &value
            {
                self.note(
                    path,
                    AnswerDeviationKind::Annotated,
                    format!("`{text}` was read as {choice}."),
                );
                return choice.clone();
            }
            return value;
        }
        match value {
            Value::String(_) => value,
            Value::Null if types.contains(&"null") => Value::Null,
            Value::Null => {
                self.converted(path, "null", "a text");
                Value::String(String::new())
            }
            other => {
                self.converted(path, type_of(&other), "a text");
                Value::String(plain(&other))
            }
        }
    }
}

/// A text that is one number and nothing else, as a JSON number.
fn bare_number(text: &str) -> Option<Value> {
    let plain = text.trim().replace('−', "-");
    let whole = serde_json::from_str(&plain).ok().map(Value::Number);
    whole.or_else(|| Some(BareNumber::parse(&plain, NumberForm::Plain)?.value.into()))
}

/// A value as text: lists joined with `; `, the rest as compact JSON.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(members)
            if members
                .iter()
                .all(|member| !member.is_object() && !member.is_array()) =>
        {
            members.iter().map(plain).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}
