//! JSON as the released scripts' language reads and writes it, so that what they
//! look for is found where they find it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::scoring::released::json::{Node, overridden};

/// Whole numbers below this are the same as a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Parses JSON as `json.loads` does: `NaN` and the infinities are values (here
/// texts of their names), half a surrogate pair is a character, and of repeated
/// keys the last counts. Nothing is read below 128 levels.
pub(in crate::scoring) fn parse(text: &str) -> Option<Value> {
    match Node::parse(text.as_bytes()) {
        Ok(node) => Some(value(node, &mut Vec::new())),
        Err(_) => {
            let text = whole_characters(text);
            let node = Node::parse(text.as_bytes()).ok()?;
            Some(value(node, &mut Vec::new()))
        }
    }
}

/// The value that a parser takes: the last of repeated keys counts. Their names
/// are added to `repeated`.
pub(in crate::scoring) fn value(node: Node<'_>, repeated: &mut Vec<String>) -> Value {
    match node {
        Node::Null => Value::Null,
        Node::Bool(flag) => flag.into(),
        Node::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => (number as i64).into(),
        Node::Number(number) => number.into(),
        Node::Text(text) => text.into_owned().into(),
        Node::List(items) => items.into_iter().map(|item| value(item, repeated)).collect(),
        Node::Members(members) => {
            for at in overridden(&members) {
                repeated.push(members[at].0.to_string());
            }
            let members = members.into_iter();
            let members: Map<_, _> = members
                .map(|(key, member)| (key.into_owned(), value(member, repeated)))
                .collect();
            members.into()
        }
    }
}

/// The text with every escaped half of a surrogate pair replaced by U+FFFD.
fn whole_characters(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let unit = |rest: &str| {
        let digits = rest.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                whole.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // What is escaped goes with its backslash.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    whole.push_str(rest);
    Cow::Owned(whole)
}

/// True if Python takes a value for true.
pub(in crate::scoring) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// `str(value)`: a text as it is, anything else as it is written in code.
pub(in crate::scoring) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut written = String::new();
            write(other, &CODE, &mut written);
            written
        }
    }
}

/// `json.dumps(value)`: blanks after commas and colons, and ASCII alone.
pub(in crate::scoring) fn dumped(value: &Value) -> String {
    let mut written = String::new();
    write(value, &JSON, &mut written);
    written
}

/// The spelling of values.
struct Spelling {
    null: &'static str,
    yes: &'static str,
    no: &'static str,
    string: fn(&str, &mut String),
}

const CODE: Spelling = Spelling {
    null: "None",
    yes: "True",
    no: "False",
    string: in_code,
};

const JSON: Spelling = Spelling {
    null: "null",
    yes: "true",
    no: "false",
    string: in_json,
};

fn write(value: &Value, spelling: &Spelling, written: &mut String) {
    match value {
        Value::Null => written.push_str(spelling.null),
        Value::Bool(true) => written.push_str(spelling.yes),
        Value::Bool(false) => written.push_str(spelling.no),
        Value::Number(number) => written.push_str(&number.to_string()),
        Value::String(text) => (spelling.string)(text, written),
        Value::Array(items) => {
            written.push('[');
            for (at, item) in items.iter().enumerate() {
                written.push_str(if at > 0 { ", " } else { "" });
                write(item, spelling, written);
            }
            written.push(']');
        }
        Value::Object(members) => {
            written.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                written.push_str(if at > 0 { ", " } else { "" });
                (spelling.string)(key, written);
                written.push_str(": ");
                write(member, spelling, written);
            }
            written.push('}');
        }
    }
}

/// In single quotes, unless the text has such and no double ones.
pub(in crate::scoring::released) fn in_code(text: &str, written: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    written.push(quote);
    for found in text.chars() {
        match found {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\\' => written.push_str("\\\\"),
            _ if found == quote => written.extend(['\\', found]),
            _ if found < ' ' || ('\u{7f}'..='\u{a0}').contains(&found) => {
                written.push_str(&format!("\\x{:02x}", u32::from(found)));
            }
            _ => written.push(found),
        }
    }
    written.push(quote);
}

fn in_json(text: &str, written: &mut String) {
    written.push('"');
    for found in text.chars() {
        match found {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\u{8}' => written.push_str("\\b"),
            '\u{c}' => written.push_str("\\f"),
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            ' '..='~' => written.push(found),
            _ => {
                for unit in found.encode_utf16(&mut [0; 2]) {
                    written.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    written.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spelt_as_python_spells_them() {
        let value = parse(r#"{"a": [null, true, 1, 1.5], "b'": "é\n\"", "c": NaN}"#).unwrap();
        assert_eq!(
            text(&value),
            r#"{'a': [None, True, 1, 1.5], "b'": 'é\n"', 'c': 'NaN'}"#
        );
        assert_eq!(
            dumped(&value),
            r#"{"a": [null, true, 1, 1.5], "b'": "\u00e9\n\"", "c": "NaN"}"#
        );
        assert_eq!(text(&Value::from("as it is")), "as it is");
    }

    #[test]
    fn half_a_pair_is_a_character() {
        let half = parse(r#"{"a": "\ud83d x", "b": "\\ud83d", "c": "\ud83d\ude00", "d": "\ude00"}"#).unwrap();
        assert_eq!(half["a"], "\u{fffd} x");
        assert_eq!(half["b"], "\\ud83d");
        assert_eq!(half["c"], "😀");
        assert_eq!(half["d"], "\u{fffd}");
        assert_eq!(parse("{\"a\": 1,}"), None);
        assert_eq!(parse("{\"a\": \"\\u\u{e9}\u{e9}\"}"), None);
    }
}
