//! The form of an answer, for models that can be held to one.

use serde_json::Value;

/// The form that an answer must have, for the providers that can hold a model
/// to one. With the others the caller's own check is all there is, and it is
/// made in any case. No part of the conversation, so that a recording made with
/// one provider replays for another.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSchema {
    /// Letters, digits, `_` and `-`; at most 64.
    pub name: String,
    /// JSON Schema.
    pub schema: Value,
}

impl ResponseSchema {
    /// Whether the schema keeps to what the strict modes take: every object
    /// closed, and every property required.
    pub fn is_strict(&self) -> bool {
        self.schema.is_object() && is_strict(&self.schema)
    }
}

fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let closed = match fields.get("properties") {
                None => fields.get("type").and_then(Value::as_str) != Some("object"),
                Some(properties) => {
                    let required = fields.get("required").and_then(Value::as_array);
                    let names = properties.as_object().into_iter().flat_map(|all| all.keys());
                    fields.get("additionalProperties") == Some(&Value::Bool(false))
                        && required.is_some_and(|required| {
                            let mut names = names;
                            names.all(|name| required.iter().any(|one| one == name.as_str()))
                        })
                }
            };
            closed && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::model::response_schema::*;

    #[test]
    fn an_open_object_anywhere_is_not_strict() {
        let form = |schema| ResponseSchema {
            name: "n".into(),
            schema,
        };
        let inner = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(form(inner.clone()).is_strict());
        let outer = json!({"type": "object", "properties": {"b": inner}, "required": ["b"], "additionalProperties": false});
        assert!(form(outer.clone()).is_strict());
        for (path, value) in [
            ("/properties/b/required", json!([])),
            ("/properties/b/additionalProperties", json!(true)),
            ("/required", Value::Null),
            ("/properties/b", json!({"type": "object"})),
        ] {
            let mut open = outer.clone();
            *open.pointer_mut(path).unwrap() = value;
            assert!(!form(open).is_strict(), "{path}");
        }
        assert!(!form(json!(true)).is_strict());
    }
}
