//! An empty form, made of the schema of a stage's answer.
//!
//! TOML, because comments, several lines and tables are at hand in it, and because studies
//! are described in it as well.

use std::fmt::Write as _;

use serde_json::Value;

use crate::catalog::fit::EXTRA;
use crate::catalog::outline::{chosen, kind};

/// Stands where something has to be filled in.
pub const FILL_IN: &str = "FILL IN";

/// The widest line of a comment, in characters.
const WIDTH: usize = 96;

/// An empty form: each key with what belongs there above it. The introduction stands on top,
/// as comments.
pub fn empty_form(introduction: &str, schema: &Value) -> String {
    let mut form = Form { text: String::new() };
    form.comment("", introduction);
    form.table(&Table {
        path: "",
        schema,
        required: true,
        aside: false,
    });
    form.text
}

/// A table on its way into the form.
struct Table<'a> {
    path: &'a str,
    schema: &'a Value,
    /// Whether it has to be there.
    required: bool,
    /// Whether it is commented out as a whole.
    aside: bool,
}

/// A key that holds more than one value.
struct Key<'a> {
    path: String,
    schema: &'a Value,
    needed: bool,
}

/// The form of a value, as far as TOML is concerned.
enum ValueKind<'a> {
    Single,
    List,
    /// A table with known keys.
    Table(&'a Value),
    /// A list of such tables.
    Tables(&'a Value),
    /// A table whose keys are names.
    Names(&'a Value),
}

struct Form {
    text: String,
}

impl Form {
    fn comment(&mut self, mark: &str, text: &str) {
        for paragraph in text.lines() {
            for line in wrapped(paragraph, WIDTH) {
                let _ = writeln!(self.text, "{mark}# {line}");
            }
        }
    }

    fn table(&mut self, table: &Table<'_>) {
        let Some(properties) = table.schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        let required = required(table.schema);
        let known = || properties.iter().filter(|(key, _)| *key != EXTRA);
        for (key, schema) in known() {
            let needed = required.contains(&key.as_str());
            let value = match value_kind(schema) {
                ValueKind::Single if needed && table.required => format!("\"{FILL_IN}\""),
                ValueKind::Single => "\"\"".to_owned(),
                ValueKind::List => "[]".to_owned(),
                _ => continue,
            };
            let rarely = table.aside || !(needed || table.required);
            let mark = if rarely { "# " } else { "" };
            self.comment(mark, &about(schema));
            let _ = writeln!(self.text, "{mark}{} = {value}", quoted(key));
        }
        for (key, schema) in known() {
            self.part(
                table,
                &Key {
                    path: below(table.path, key),
                    schema,
                    needed: required.contains(&key.as_str()),
                },
            );
        }
    }

    fn part(&mut self, table: &Table<'_>, key: &Key<'_>) {
        let (inner, open, close) = match value_kind(key.schema) {
            ValueKind::Table(inner) => (inner, "[", "]"),
            ValueKind::Tables(inner) => (inner, "[[", "]]"),
            ValueKind::Names(each) => return self.names(table, key, each),
            ValueKind::Single | ValueKind::List => return,
        };
        let is_list = open == "[[";
        // Parts of a part that may be absent are for those who look for them.
        let aside = table.aside || !(key.needed || table.required);
        let mark = if aside { "# " } else { "" };
        self.text.push('\n');
        self.comment(mark, description(key.schema));
        let _ = writeln!(self.text, "{mark}{open}{}{close}", key.path);
        self.table(&Table {
            path: &key.path,
            schema: inner,
            required: table.required && (key.needed || !(is_list || is_nullable(key.schema))),
            aside,
        });
    }

    fn names(&mut self, table: &Table<'_>, key: &Key<'_>, each: &Value) {
        let mark = if table.aside { "# " } else { "" };
        self.text.push('\n');
        self.comment(mark, description(key.schema));
        if each.get("properties").is_none() {
            let _ = writeln!(self.text, "{mark}[{}]", key.path);
            let _ = writeln!(self.text, "# \"name\" = \"{}\"", kind(each));
            return;
        }
        let path = format!("{}.\"name\"", key.path);
        let _ = writeln!(self.text, "# [{path}]");
        self.table(&Table {
            path: &path,
            schema: each,
            required: false,
            aside: true,
        });
    }
}

/// The path of a key in a table.
fn below(table: &str, key: &str) -> String {
    let dot = if table.is_empty() { "" } else { "." };
    format!("{table}{dot}{}", quoted(key))
}

/// The keys that a table has to have.
pub(super) fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.map_or_else(Vec::new, |names| names.iter().filter_map(Value::as_str).collect())
}

fn value_kind(schema: &Value) -> ValueKind<'_> {
    let schema = chosen(schema);
    let is_table = |schema: &Value| schema.get("properties").is_some_and(Value::is_object);
    if is_table(schema) {
        return ValueKind::Table(schema);
    }
    if let Some(items) = schema.get("items") {
        let items = chosen(items);
        return if is_table(items) {
            ValueKind::Tables(items)
        } else {
            ValueKind::List
        };
    }
    match schema.get("additionalProperties") {
        Some(each) if each.is_object() => ValueKind::Names(chosen(each)),
        _ => ValueKind::Single,
    }
}

fn is_nullable(schema: &Value) -> bool {
    let null = || Value::from("null");
    let types = schema.get("type").and_then(Value::as_array);
    let choices = schema.get("anyOf").and_then(Value::as_array);
    types.is_some_and(|types| types.contains(&null()))
        || choices.is_some_and(|choices| choices.iter().any(|choice| choice.get("type") == Some(&null())))
}

fn description(schema: &Value) -> &str {
    let said = schema.get("description").or_else(|| schema.get("title"));
    said.and_then(Value::as_str).unwrap_or_default()
}

/// What belongs in the place of a value.
fn about(schema: &Value) -> String {
    let said = description(schema).replace('\n', " ");
    let kind = kind(chosen(schema));
    // Text is what everybody expects, and what is left empty is null.
    let takes_text = kind.split(" or ").any(|one| one == "text" || one == "array");
    let kind = kind.trim_end_matches(" or null");
    match (said.is_empty(), takes_text) {
        (_, true) => said,
        (true, false) => kind.to_owned(),
        (false, false) => format!("{said} ({kind})"),
    }
}

/// A key as TOML wants it.
fn quoted(key: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        toml::Value::String(key.to_owned()).to_string()
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines
            .last_mut()
            .filter(|line| line.chars().count() + word.chars().count() < width);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::schemas;
    use crate::domain::stage::Stage;

    #[test]
    fn every_form_is_toml_and_stays_so_with_its_comments_taken_away() {
        for (name, schema) in schemas::all() {
            let form = empty_form("An introduction.", schema);
            toml::from_str::<Value>(&form).unwrap_or_else(|error| panic!("{name}: {error}\n{form}"));
            let uncommented: String = form
                .lines()
                .filter(|line| {
                    let is_key = line.ends_with(" = \"\"") || line.ends_with(" = []");
                    !line.starts_with("# ") || is_key || line.starts_with("# [")
                })
                .map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line)))
                .collect();
            toml::from_str::<Value>(&uncommented)
                .unwrap_or_else(|error| panic!("{name}: {error}\n{uncommented}"));
        }
    }

    #[test]
    fn a_form_asks_for_what_has_to_be_there_and_shows_the_rest() {
        let form = empty_form("", schemas::for_stage(Stage::EXTRACT));
        assert!(form.contains("[original_study.claim]"), "{form}");
        assert!(
            form.contains("[[original_study.results.numerical_results]]"),
            "{form}"
        );
        assert!(form.contains("outcome_name = \"FILL IN\""), "{form}");
        assert!(form.contains("sample_size = \"\""), "{form}");
        let form = empty_form("", schemas::for_stage(Stage::DESIGN));
        assert!(form.contains("[replication_study.criterion]"), "{form}");
        assert!(form.contains("alpha = \"\""), "{form}");
    }
}
