//! Addresses of pictures and files, which the provider would fetch, taken out of requests.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

use crate::domain::proxy_dialect::ProxyDialect;

/// Most bytes that a picture in the text counts for: ten thousand are some 5,000 tokens before
/// anything was counted, more than a provider takes for one.
const PICTURE: u64 = 10_000;

/// The size of a request, and whether it may hold addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestScan {
    /// Bytes of its texts and names; those of pictures up to a bound.
    pub bytes: u64,
    pub may_hold_addresses: bool,
}

/// Looks through a JSON text.
///
/// # Errors
/// A text that is no JSON, or deeper than 127 levels.
pub fn scan(text: &str) -> serde_json::Result<RequestScan> {
    let mut scan = RequestScan::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    ScanSeed(&mut scan).deserialize(&mut reader)?;
    reader.end()?;
    Ok(scan)
}

struct ScanSeed<'a>(&'a mut RequestScan);

impl<'de> DeserializeSeed<'de> for ScanSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ScanSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let bytes = text.len() as u64;
        // A long text without a space is the picture of a part that holds Base64.
        let is_picture = bytes > PICTURE && (text.starts_with("data:image/") || is_picture(text));
        self.0.bytes += if is_picture { PICTURE } else { bytes };
        self.0.may_hold_addresses |= text == "url" || is_address(text);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.0.bytes += 4;
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.0.bytes += 4;
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.0.bytes += 4;
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.0.bytes += 8;
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.bytes += 4;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(ScanSeed(&mut *self.0))?.is_some() {
            self.0.bytes += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key_seed(NameSeed(&mut *self.0))?.is_some() {
            fields.next_value_seed(ScanSeed(&mut *self.0))?;
        }
        Ok(())
    }
}

/// The name of a field.
struct NameSeed<'a>(&'a mut RequestScan);

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for NameSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.0.bytes += name.len() as u64 + 4;
        self.0.may_hold_addresses |= is_name_of_address(name);
        Ok(())
    }
}

/// Whether a text begins as a PNG, JPEG, GIF or WebP in Base64 does.
fn is_picture(text: &str) -> bool {
    ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR"]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// The fields of a request that hold parts of messages.
pub fn fields(dialect: ProxyDialect) -> &'static [&'static str] {
    match dialect {
        ProxyDialect::ChatCompletions => &["messages"],
        ProxyDialect::Responses => &["input"],
        ProxyDialect::Messages => &["messages", "system"],
        ProxyDialect::GenerateContent => &["contents", "systemInstruction", "system_instruction"],
    }
}

/// The words in the place of what was taken out.
const NOTICE: &str = "[reprise: an address was taken out here, since the provider would have fetched it past the sandbox's network. Send the file itself.]";

/// Puts a notice in the place of every part with an address, and counts them. A message loses the fields with one.
pub fn remove(dialect: ProxyDialect, value: &mut Value) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(|item| remove(dialect, item)).sum(),
        Value::Object(fields) if fields.contains_key("role") => {
            let before = fields.len();
            fields.retain(|name, value| !holds_address(name, value));
            let removed = before - fields.len();
            removed + remove_below(dialect, fields)
        }
        Value::Object(fields) => {
            if is_addressed(dialect, fields) {
                *value = notice(dialect);
                return 1;
            }
            remove_below(dialect, fields)
        }
        _ => 0,
    }
}

/// The same in the fields of an object, but for those that a model or a tool wrote.
fn remove_below(dialect: ProxyDialect, fields: &mut Fields) -> usize {
    let is_read = |name: &str| matches!(name, "content" | "output") || !TEXTS.contains(&name);
    let inner = fields.iter_mut().filter(|(name, _)| is_read(name));
    inner.map(|(_, value)| remove(dialect, value)).sum()
}

type Fields = serde_json::Map<String, Value>;

fn is_addressed(dialect: ProxyDialect, part: &Fields) -> bool {
    // Servers that are lenient look at the field and not at the kind.
    let is_file =
        |name: &str| dialect == ProxyDialect::GenerateContent && matches!(name, "fileData" | "file_data");
    // What a search of the client's found names its source.
    let is_found = part.get("type").and_then(Value::as_str) == Some("search_result");
    let mut fields = part.iter().filter(|_| !is_found);
    fields.any(|(name, value)| is_file(name) || holds_address(name, value))
}

/// Fields with what is said, by a model, a person or a tool: an address there is fetched by nobody.
const TEXTS: [&str; 16] = [
    "action",
    "annotations",
    "args",
    "arguments",
    "citations",
    "content",
    "context",
    "input",
    "output",
    "reasoning",
    "reasoning_content",
    "refusal",
    "response",
    "text",
    "thinking",
    "title",
];

/// Whether a field holds the address of something that the provider would fetch: itself, in a list, or in an object
/// such as `{"url": ...}`.
fn holds_address(name: &str, value: &Value) -> bool {
    if TEXTS.contains(&name) {
        return false;
    }
    match value {
        Value::String(text) => is_address(text) || is_name_of_address(name) && !is_data(text),
        Value::Array(items) => items
            .iter()
            .any(|item| item.is_string() && holds_address(name, item)),
        Value::Object(fields) => {
            let mut inner = fields.iter().filter(|(_, value)| value.is_string());
            inner.any(|(name, value)| holds_address(name, value))
        }
        _ => false,
    }
}

/// Whether a field is one for addresses by its name, such as `video_url` or `fileUri`.
fn is_name_of_address(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with("url") || name.ends_with("uri")
}

/// Whether a text is what its address would lead to.
fn is_data(text: &str) -> bool {
    let begin = text.trim_start().as_bytes().get(..5);
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(b"data:"))
}

/// Whether a text is an address, as `https://x` and `http:x` are.
fn is_address(text: &str) -> bool {
    let text = text.trim_start();
    let begin = text.get(..text.floor_char_boundary(16)).unwrap_or_default();
    let Some((scheme, rest)) = begin.split_once(':') else {
        return text.starts_with("//");
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter));
    let fetched = ["http", "https", "ftp", "file", "s3", "gs"];
    is_scheme && (rest.starts_with("//") || fetched.iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn notice(dialect: ProxyDialect) -> Value {
    match dialect {
        ProxyDialect::ChatCompletions | ProxyDialect::Messages => json!({"type": "text", "text": NOTICE}),
        ProxyDialect::Responses => json!({"type": "input_text", "text": NOTICE}),
        ProxyDialect::GenerateContent => json!({ "text": NOTICE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_would_fetch_goes_and_what_is_sent_along_stays() {
        for (dialect, part, goes) in [
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "image_url", "image_url": {"url": "https://x/a.png"}}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}),
                false,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "video_url", "video_url": {"url": "HTTPS://x"}}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "audio_url", "audio_url": {"url": "/etc/passwd"}}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "input_audio", "input_audio": {"url": "http:x", "format": "wav"}}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "document_url", "document_url": "https://x"}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "https://x"}}),
                true,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA"}}),
                false,
            ),
            (
                ProxyDialect::ChatCompletions,
                json!({"type": "text", "text": "https://x"}),
                false,
            ),
            (
                ProxyDialect::Responses,
                json!({"type": "input_image", "image_url": "http://x"}),
                true,
            ),
            (
                ProxyDialect::Responses,
                json!({"type": "input_file", "file_url": "http://x"}),
                true,
            ),
            (
                ProxyDialect::Messages,
                json!({"type": "image", "source": {"type": "url", "url": "http://x"}}),
                true,
            ),
            (
                ProxyDialect::Messages,
                json!({"type": "tool_use", "input": {"type": "image", "source": {"type": "url", "url": "http://x"}}}),
                false,
            ),
            (
                ProxyDialect::GenerateContent,
                json!({"fileData": {"fileUri": "https://x"}}),
                true,
            ),
            (
                ProxyDialect::GenerateContent,
                json!({"function_response": {"name": "f", "parts": [{"file_data": {"file_uri": "https://x"}}]}}),
                true,
            ),
            (
                ProxyDialect::GenerateContent,
                json!({"functionResponse": {"name": "f", "response": {"fileData": {"fileUri": "https://x"}}}}),
                false,
            ),
            (
                ProxyDialect::GenerateContent,
                json!({"functionCall": {"name": "f", "args": {"fileData": {"fileUri": "https://x"}}}}),
                false,
            ),
        ] {
            let mut messages = json!([{"role": "user", "content": [part, {"type": "text", "text": "look"}]}]);
            let before = messages.clone();
            assert_eq!(remove(dialect, &mut messages), usize::from(goes), "{before}");
            assert_eq!(messages != before, goes);
            if goes {
                assert!(scan(&before.to_string()).unwrap().may_hold_addresses, "{before}");
            }
        }
    }

    #[test]
    fn a_message_loses_the_fields_with_addresses_and_keeps_what_is_said() {
        let mut messages = json!([
            {"role": "user", "content": "https://said", "images": ["https://x"], "attachment": {"url": "//x"}},
            {"role": "tool", "content": [{"type": "video_url", "video_url": {"url": "https://x"}}]},
        ]);
        assert_eq!(remove(ProxyDialect::ChatCompletions, &mut messages), 3);
        assert_eq!(messages[0], json!({"role": "user", "content": "https://said"}));
        assert_eq!(messages[1]["content"][0]["text"], NOTICE);
    }

    #[test]
    fn a_request_is_as_large_as_its_texts_and_a_picture_has_a_bound() {
        let size = |value: Value| scan(&value.to_string()).unwrap().bytes;
        assert!((1000..1020).contains(&size(json!({"text": "a".repeat(1000)}))));
        let picture = format!("data:image/png;base64,{}", "A".repeat(1_000_000));
        assert!(size(json!({ "url": picture })) < PICTURE + 20);
        let escaped = format!("{{\"im\\u0061ge_url\": \"{}\"}}", "http");
        assert!(scan(&escaped).unwrap().may_hold_addresses);
        assert!(scan(&"[".repeat(200)).is_err());
    }
}
