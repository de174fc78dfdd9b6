//! Texts that people can write by hand in JSON.

use serde::ser::SerializeSeq as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A text, written as one string or as an array of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Lines(Vec<String>),
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Written::deserialize(deserializer)? {
            Written::Text(text) => text,
            Written::Lines(lines) => lines.join("\n"),
        }))
    }
}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.contains('\n') {
            return serializer.serialize_str(&self.0);
        }
        let mut sequence = serializer.serialize_seq(None)?;
        for line in self.0.split('\n') {
            sequence.serialize_element(line)?;
        }
        sequence.end()
    }
}

/// The key of an object that stands for a text inside any JSON value:
/// `{"$lines": ["one", "two"]}` is `"one\ntwo"`.
pub const LINES_KEY: &str = "$lines";

/// `value` with every `{"$lines": [...]}` in it joined to its text.
pub fn joined(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match single_text(fields) {
            Some(text) => Value::String(text),
            None => Value::Object(
                fields
                    .iter()
                    .map(|(key, field)| (key.clone(), joined(field)))
                    .collect(),
            ),
        },
        Value::Array(items) => Value::Array(items.iter().map(joined).collect()),
        other => other.clone(),
    }
}

fn single_text(fields: &serde_json::Map<String, Value>) -> Option<String> {
    if fields.len() != 1 {
        return None;
    }
    let lines = fields.get(LINES_KEY)?.as_array()?;
    let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
    lines.map(|lines| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn every_text_survives(text in "[a\\n\\r \"é]{0,12}") {
            let written = serde_json::to_string(&Lines(text.clone())).unwrap();
            prop_assert_eq!(serde_json::from_str::<Lines>(&written).unwrap().0, text);
        }
    }

    #[test]
    fn lines_inside_a_value_are_joined_and_nothing_else_is() {
        let value =
            json!({"path": "a.py", "content": {"$lines": ["x", "y"]}, "list": ["x"], "odd": {"$lines": 1}});
        assert_eq!(
            joined(&value),
            json!({"path": "a.py", "content": "x\ny", "list": ["x"], "odd": {"$lines": 1}})
        );
    }
}
