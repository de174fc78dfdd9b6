//! Schemas as generateContent writes them, a part of OpenAPI 3.0, as JSON Schema.
//!
//! Words of types are in upper case there, limits are texts where they count in 64 bits, and that a value may
//! be absent is a key of its own.

use serde_json::{Map, Value, json};

use super::key_table::camel_case;
use super::loss::Loss;

/// The JSON Schema of a schema.
///
/// # Errors
/// A key that is unknown, or a value that is none of its key.
pub fn json_schema(schema: &Value, place: &str) -> Result<Value, Loss> {
    let fields = object(schema, place)?;
    let mut made = Map::new();
    let mut is_nullable = false;
    let mut order = Vec::new();
    for (name, value) in fields {
        let key = camel_case(name);
        let at = format!("{place}.{key}");
        if value.is_null() {
            continue;
        }
        let value = match key.as_str() {
            "type" => match type_word(value, &at)? {
                Some(word) => Value::from(word),
                None => continue,
            },
            "nullable" => {
                is_nullable = value
                    .as_bool()
                    .ok_or_else(|| Loss::new(at, "is neither true nor false"))?;
                continue;
            }
            "propertyOrdering" => {
                order = texts(value, &at)?;
                continue;
            }
            // Said by the words that follow it.
            "format" if value == "enum" => continue,
            "additionalProperties" if value.is_boolean() => value.clone(),
            "items" | "additionalProperties" => json_schema(value, &at)?,
            "properties" => {
                let inner = object(value, &at)?.iter();
                let inner = inner.map(|(name, schema)| {
                    json_schema(schema, &format!("{at}.{name}")).map(|schema| (name.clone(), schema))
                });
                Value::Object(inner.collect::<Result<Map<_, _>, Loss>>()?)
            }
            "anyOf" => {
                let all = list(value, &at)?.iter().enumerate();
                let all = all.map(|(index, schema)| json_schema(schema, &format!("{at}[{index}]")));
                Value::Array(all.collect::<Result<_, Loss>>()?)
            }
            "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties" => {
                whole(value, &at)?
            }
            "minimum" | "maximum" if !value.is_number() => return Err(Loss::new(at, "is no number")),
            "example" => json!([value]),
            "minimum" | "maximum" | "format" | "title" | "description" | "enum" | "pattern" | "default"
            | "required" => value.clone(),
            _ => return Err(Loss::new(at, "is a key that the translation does not know")),
        };
        let key = match key.as_str() {
            "example" => "examples".to_owned(),
            _ => key,
        };
        if made.insert(key, value).is_some() {
            return Err(Loss::new(at, "stands there under two names"));
        }
    }
    if let Some(Value::Object(properties)) = made.get_mut("properties") {
        put_in_order(properties, &order);
    }
    if is_nullable {
        allow_null(&mut made);
    }
    Ok(Value::Object(made))
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, Loss> {
    value.as_object().ok_or_else(|| Loss::new(place, "is no object"))
}

fn list<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], Loss> {
    let list = value.as_array().ok_or_else(|| Loss::new(place, "is no list"))?;
    Ok(list)
}

fn texts(value: &Value, place: &str) -> Result<Vec<String>, Loss> {
    let texts = list(value, place)?.iter();
    let texts = texts.map(|text| text.as_str().map(str::to_owned));
    texts
        .collect::<Option<_>>()
        .ok_or_else(|| Loss::new(place, "is no list of texts"))
}

/// The word of a type; `None` where any will do.
fn type_word(value: &Value, place: &str) -> Result<Option<&'static str>, Loss> {
    let word = value.as_str().ok_or_else(|| Loss::new(place, "is no type"))?;
    match word.to_ascii_uppercase().as_str() {
        "STRING" => Ok(Some("string")),
        "NUMBER" => Ok(Some("number")),
        "INTEGER" => Ok(Some("integer")),
        "BOOLEAN" => Ok(Some("boolean")),
        "ARRAY" => Ok(Some("array")),
        "OBJECT" => Ok(Some("object")),
        "NULL" => Ok(Some("null")),
        "TYPE_UNSPECIFIED" => Ok(None),
        _ => Err(Loss::new(place, format!("is `{word}`, which is no type"))),
    }
}

/// A count, which protobuf's JSON writes as a text where it has 64 bits.
fn whole(value: &Value, place: &str) -> Result<Value, Loss> {
    let count = match value {
        Value::String(text) => text.parse::<u64>().ok(),
        other => other.as_u64(),
    };
    count
        .map(Value::from)
        .ok_or_else(|| Loss::new(place, "is no whole number"))
}

/// Puts the properties that an order names before the others.
fn put_in_order(properties: &mut Map<String, Value>, order: &[String]) {
    let mut ordered = Map::new();
    for name in order {
        if let Some((name, schema)) = properties.shift_remove_entry(name) {
            ordered.insert(name, schema);
        }
    }
    ordered.append(properties);
    *properties = ordered;
}

fn allow_null(schema: &mut Map<String, Value>) {
    if let Some(word) = schema.get_mut("type").filter(|word| *word != "null") {
        *word = json!([word, "null"]);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum")
        && !words.contains(&Value::Null)
    {
        words.push(Value::Null);
    }
    if let Some(Value::Array(schemas)) = schema.get_mut("anyOf") {
        schemas.push(json!({"type": "null"}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_limits_and_nulls_are_those_of_json_schema() {
        let schema = json!({
            "type": "OBJECT",
            "description": "TYPE: STRING",
            "properties": {
                // Names of properties are no keys.
                "type": {"type": "STRING", "enum": ["STRING", "OBJECT"], "format": "enum", "nullable": true},
                "nullable": {"type": "BOOLEAN", "nullable": false, "default": false},
                "max_items": {"type": "array", "maxItems": "9007199254740993", "min_items": 1, "items": {"type": "Integer", "format": "int32"}},
                "any": {"anyOf": [{"type": "NUMBER", "minimum": 0.5}, {"type": "TYPE_UNSPECIFIED"}], "nullable": true},
                "odd": {"type": "NULL", "nullable": true, "example": {"type": "STRING"}, "title": null},
                "map": {"type": "OBJECT", "additionalProperties": {"type": "STRING"}},
            },
            "required": ["type"],
            "propertyOrdering": ["map", "absent", "type"],
        });
        let made = json_schema(&schema, "p").unwrap();
        assert_eq!(
            made,
            json!({
                "type": "object",
                "description": "TYPE: STRING",
                "properties": {
                    "type": {"type": ["string", "null"], "enum": ["STRING", "OBJECT", null]},
                    "nullable": {"type": "boolean", "default": false},
                    "max_items": {"type": "array", "maxItems": 9007199254740993_u64, "minItems": 1, "items": {"type": "integer", "format": "int32"}},
                    "any": {"anyOf": [{"type": "number", "minimum": 0.5}, {}, {"type": "null"}]},
                    "odd": {"type": "null", "examples": [{"type": "STRING"}]},
                    "map": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["type"],
            })
        );
        let names: Vec<_> = made["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["map", "type", "nullable", "max_items", "any", "odd"]);
    }

    #[test]
    fn what_is_no_schema_is_refused_by_its_place() {
        for (schema, place) in [
            (json!("STRING"), "p"),
            (json!({"type": "TUPLE"}), "p.type"),
            (json!({"type": ["STRING", "NULL"]}), "p.type"),
            (json!({"type": 1}), "p.type"),
            (json!({"nullable": "true"}), "p.nullable"),
            (json!({"oneOf": []}), "p.oneOf"),
            (json!({"$ref": "#/x"}), "p.$ref"),
            (json!({"maxItems": "many"}), "p.maxItems"),
            (json!({"maxItems": "-1"}), "p.maxItems"),
            (json!({"maxItems": 1.5}), "p.maxItems"),
            (json!({"maxItems": 1, "max_items": 2}), "p.maxItems"),
            (json!({"minimum": "low"}), "p.minimum"),
            (json!({"properties": [{"type": "STRING"}]}), "p.properties"),
            (
                json!({"properties": {"a": {"items": {"type": "LIST"}}}}),
                "p.properties.a.items.type",
            ),
            (json!({"anyOf": [{"type": "STRING"}, 7]}), "p.anyOf[1]"),
            (json!({"propertyOrdering": "a"}), "p.propertyOrdering"),
        ] {
            assert_eq!(json_schema(&schema, "p").unwrap_err().place, place, "{schema}");
        }
    }
}
