//! Shrinking of old calls that wrote files: their long texts are left out.
//!
//! Such a call is sent again with every turn, though the file has the text. The
//! call stays as it was but for its long texts; its arguments stay a JSON object
//! with the same keys, so that each provider takes them.

use serde_json::Value;

use crate::domain::digest::Digest;
use crate::model::chat::Message;

use super::protocol::{self, KnownTools, Turn};
use super::results::LeftOut;
use super::words;

/// Tools whose texts stand in a file afterwards.
const WRITING: [&str; 2] = ["edit_file", "write_file"];
/// Bytes of a text that are not worth a pointer.
pub const SMALL: usize = 500;

/// Digest of the text that a call wrote; `None` where it wrote none, or little.
pub fn digest(tool: &str, arguments: &Value) -> Option<Digest> {
    if !WRITING.contains(&tool) {
        return None;
    }
    let texts = arguments.as_object()?.values().filter_map(Value::as_str);
    let longest = texts.max_by_key(|text| text.len())?;
    (longest.len() >= SMALL).then(|| Digest::compute(longest.trim()))
}

/// A message of the model with the long texts of its call at `index` as
/// pointers, and the texts with the paths that `place` gives for their keys.
/// `None` where the call cannot be told apart from what is around it.
pub fn shortened(
    message: &Message,
    index: usize,
    tools: &KnownTools,
    place: impl Fn(&str) -> String,
) -> Option<(Message, Vec<LeftOut>)> {
    let Message::Assistant { text, calls, .. } = message else {
        return None;
    };
    if calls.is_empty() {
        let Turn::Calls(parsed) = protocol::parse(text, tools) else {
            return None;
        };
        let mut arguments = parsed.get(index)?.arguments.clone();
        let whole = arguments.clone();
        let left_out = point(&mut arguments, &place)?;
        let mut text = text.to_string();
        for (key, told) in whole.as_object()? {
            let pointer = &arguments[key];
            if pointer != told {
                text = replaced(&text, &told.to_string(), &pointer.to_string())?;
            }
        }
        let calls = Vec::new();
        return Some((
            Message::Assistant {
                text: text.into(),
                calls,
                thoughts: None,
            },
            left_out,
        ));
    }
    let mut calls = calls.clone();
    let call = calls.get_mut(index)?;
    let mut arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let left_out = point(&mut arguments, &place)?;
    call.arguments = arguments.to_string();
    let message = Message::Assistant {
        text: text.clone(),
        calls,
        // What a provider signed belongs to the call as it was.
        thoughts: None,
    };
    Some((message, left_out))
}

/// Puts pointers in the place of the long texts; returns these with their paths.
fn point(arguments: &mut Value, place: impl Fn(&str) -> String) -> Option<Vec<LeftOut>> {
    let mut left_out = Vec::new();
    for (key, value) in arguments.as_object_mut()? {
        let Value::String(text) = value else { continue };
        // The key is part of a path.
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if text.len() < SMALL || !key.chars().all(is_word) {
            continue;
        }
        let path = place(key);
        let pointer = words::written_before(text, &path);
        let text = std::mem::replace(text, pointer).into();
        left_out.push(LeftOut { path, text });
    }
    (!left_out.is_empty()).then_some(left_out)
}

/// `text` with the one place that says `old` saying `new`.
fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let (before, behind) = text.split_once(old)?;
    (!behind.contains(old)).then(|| format!("{before}{new}{behind}"))
}

/// The key of an argument that repeats a pointer in the place of a text.
pub fn repeated_pointer(arguments: &Value) -> Option<&str> {
    let mut all = arguments.as_object()?.iter();
    let is_pointer = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        text.trim_start().starts_with(words::WRITTEN_BEFORE)
    };
    all.find(|(_, value)| is_pointer(value))
        .map(|(key, _)| key.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::conversation::ToolCall;

    fn tools() -> KnownTools {
        KnownTools::from_pairs([("write_file", Some("path"))])
    }

    fn kept(path: &str, text: &str) -> LeftOut {
        LeftOut {
            path: path.into(),
            text: text.into(),
        }
    }

    #[test]
    fn a_long_text_of_a_native_call_becomes_a_pointer() {
        let code = "x = \"\\u00e4\"\n".repeat(100);
        let arguments = json!({ "path": "work/a.py", "content": code, "overwrite": true });
        let call = |arguments: &Value| ToolCall {
            id: "c1".into(),
            name: "write_file".into(),
            arguments: arguments.to_string(),
        };
        let message = Message::Assistant {
            text: "I write it.".into(),
            calls: vec![call(&json!({})), call(&arguments)],
            thoughts: None,
        };
        let place = |key: &str| format!("logs/results/design-1-2-{key}.txt");
        assert_eq!(shortened(&message, 0, &tools(), place), None);
        let (shorter, left_out) = shortened(&message, 1, &tools(), place).unwrap();
        assert_eq!(left_out, [kept("logs/results/design-1-2-content.txt", &code)]);
        let Message::Assistant { calls, .. } = &shorter else {
            panic!("{shorter:?}")
        };
        let told: Value = serde_json::from_str(&calls[1].arguments).unwrap();
        assert_eq!(
            (&told["path"], &told["overwrite"]),
            (&json!("work/a.py"), &json!(true))
        );
        assert!(
            told["content"]
                .as_str()
                .unwrap()
                .contains("`logs/results/design-1-2-content.txt`")
        );
        assert_eq!(repeated_pointer(&told), Some("content"));
        assert_eq!(repeated_pointer(&arguments), None);
        // Once is enough.
        assert_eq!(shortened(&shorter, 1, &tools(), place), None);
    }

    #[test]
    fn a_long_text_of_a_written_call_becomes_a_pointer() {
        let code = "print('a')\n".repeat(100);
        let arguments = json!({ "path": "work/a.py", "content": code });
        let said = |arguments: &Value| Message::Assistant {
            text: format!(
                "Thought: I write it.\n{}",
                protocol::render_call("write_file", arguments)
            )
            .into(),
            calls: vec![],
            thoughts: None,
        };
        let place = |key: &str| format!("logs/{key}.txt");
        let (shorter, left_out) = shortened(&said(&arguments), 0, &tools(), place).unwrap();
        assert_eq!(left_out, [kept("logs/content.txt", &code)]);
        let pointer = words::written_before(&code, "logs/content.txt");
        assert_eq!(shorter, said(&json!({ "path": "work/a.py", "content": pointer })));
        let loose = Message::Assistant {
            text: format!(
                "Action: write_file: {{path: 'a', content: '{}'}}",
                "x".repeat(900)
            )
            .into(),
            calls: vec![],
            thoughts: None,
        };
        assert_eq!(shortened(&loose, 0, &tools(), place), None);
    }
}
