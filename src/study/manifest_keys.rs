//! The keys that `study.toml` may have: those of its types.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

/// The keys of the file that are not known, each with its offset.
pub fn unknown_keys(file: &DeTable<'_>, schema: &Value) -> Vec<(usize, String)> {
    let mut unknown = Vec::new();
    if let Some(keys) = keys(schema) {
        collect("", file, keys, &mut unknown);
    }
    unknown
}

/// The keys of a table, whether it stands alone, in a list, or beside other shapes of its
/// value; `None` of what is no table, or one of any keys.
fn keys(schema: &Value) -> Option<&Map<String, Value>> {
    let own = schema.get("properties").and_then(Value::as_object);
    let listed = || schema.get("items").and_then(keys);
    let choices = || schema.get("anyOf")?.as_array()?.iter().find_map(keys);
    own.or_else(listed).or_else(choices)
}

fn collect(
    section: &str,
    table: &DeTable<'_>,
    known: &Map<String, Value>,
    unknown: &mut Vec<(usize, String)>,
) {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let dot = if section.is_empty() { "" } else { "." };
        let path = format!("{section}{dot}{name}");
        let Some(schema) = known.get(name) else {
            unknown.push((key.span().start, path));
            continue;
        };
        let Some(inner_keys) = keys(schema) else {
            continue;
        };
        match value.get_ref() {
            DeValue::Table(inner) => collect(&path, inner, inner_keys, unknown),
            DeValue::Array(items) => {
                for item in items.iter() {
                    if let DeValue::Table(inner) = item.get_ref() {
                        collect(&path, inner, inner_keys, unknown);
                    }
                }
            }
            _ => {}
        }
    }
}
