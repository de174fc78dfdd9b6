//! The keys of a file that its types do not have.

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::names::near;

/// A key of a file that its types do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is not a known key: {way_out}")]
pub struct UnknownKey {
    /// With the tables that it is in, such as `data.sauce`.
    pub key: String,
    /// In bytes, from the beginning of the file.
    pub offset: usize,
    way_out: String,
}

impl UnknownKey {
    fn new<'a>(key: String, name: &str, offset: usize, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        let way_out = match near(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its table takes {}", known.collect::<Vec<_>>().join(", ")),
        };
        Self { key, offset, way_out }
    }
}

/// The unknown keys of a file in the order that they are written in, by the schema of its type.
pub fn unknown_keys(file: &DeTable<'_>, schema: &Value) -> Vec<UnknownKey> {
    let mut unknown = Vec::new();
    if let Some(keys) = keys(schema) {
        collect("", file, keys, &mut unknown);
    }
    unknown.sort_by_key(|one| one.offset);
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

fn collect(section: &str, table: &DeTable<'_>, known: &Map<String, Value>, unknown: &mut Vec<UnknownKey>) {
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let dot = if section.is_empty() { "" } else { "." };
        let path = format!("{section}{dot}{name}");
        let Some(schema) = known.get(name) else {
            let known = known.keys().map(String::as_str);
            unknown.push(UnknownKey::new(path, name, key.span().start, known));
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
