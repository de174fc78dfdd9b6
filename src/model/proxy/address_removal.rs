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
        self.0.may_hold_addresses |= text == "url";
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
        self.0.may_hold_addresses |= matches!(name, "image_url" | "file_url" | "fileUri" | "file_uri");
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

/// Puts a notice in the place of every part with an address, and counts them.
pub fn remove(dialect: ProxyDialect, value: &mut Value) -> usize {
    match value {
        Value::Array(items) => items.iter_mut().map(|item| remove(dialect, item)).sum(),
        Value::Object(fields) => {
            if is_addressed(dialect, fields) {
                *value = notice(dialect);
                return 1;
            }
            // What a model or a tool wrote is fetched by nobody.
            let is_response = |name: &str| dialect == ProxyDialect::GenerateContent && name == "response";
            let is_data = |name: &str| matches!(name, "arguments" | "args") || is_response(name);
            let is_tool_input = fields.get("type").and_then(Value::as_str) == Some("tool_use");
            let is_read = |name: &str| !is_data(name) && (!is_tool_input || name != "input");
            let inner = fields.iter_mut().filter(|(name, _)| is_read(name));
            inner.map(|(_, value)| remove(dialect, value)).sum()
        }
        _ => 0,
    }
}

type Fields = serde_json::Map<String, Value>;

fn is_addressed(dialect: ProxyDialect, part: &Fields) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_remote = |value: Option<&Value>| {
        let address = value.and_then(|value| value.as_str().or_else(|| value.get("url")?.as_str()));
        address.is_some_and(|address| !address.trim_start().to_ascii_lowercase().starts_with("data:"))
    };
    match dialect {
        ProxyDialect::ChatCompletions | ProxyDialect::Responses => {
            // Servers that are lenient look at the field and not at the kind.
            is_remote(part.get("image_url")) || is_remote(part.get("file_url"))
        }
        ProxyDialect::Messages => {
            let source = part.get("source").and_then(|source| source.get("type"));
            matches!(kind, "image" | "document") && source.and_then(Value::as_str) == Some("url")
        }
        ProxyDialect::GenerateContent => part.contains_key("fileData") || part.contains_key("file_data"),
    }
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
