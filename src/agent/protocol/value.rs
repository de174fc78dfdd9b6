//! Values in the forms that models write them, at the beginning of a text.

use serde_json::Value;

use super::call_error::CallError;
use super::parsed_call::Repair;
use crate::domain::lenient_json::{self, LenientError, Parsed, RepairKind};

/// A value, how it was repaired, and the bytes it takes.
pub(super) struct WrittenValue {
    pub(super) value: Value,
    pub(super) repairs: Vec<Repair>,
    pub(super) end: usize,
}

impl From<Parsed> for WrittenValue {
    fn from(parsed: Parsed) -> Self {
        Self {
            value: parsed.value,
            repairs: parsed.repairs.into_iter().map(Repair::Json).collect(),
            end: parsed.end,
        }
    }
}

/// Whether a value can begin with `text`.
pub(super) fn opens(text: &str) -> bool {
    text.starts_with(['{', '"', '\'', '“', '‘', '['])
}

/// Reads the value that `text` begins with. An object inside single quotes is
/// read as it stands first, for models quote it without escaping it.
pub(super) fn read(text: &str) -> Result<WrittenValue, CallError> {
    if text.starts_with("'{")
        && let Ok(parsed) = lenient_json::parse_prefix(&text[1..])
        && text[1 + parsed.end..].starts_with('\'')
    {
        let mut written = WrittenValue::from(parsed);
        written.repairs.insert(0, Repair::QuotedArguments);
        written.end += 2;
        return Ok(written);
    }
    let written = match lenient_json::parse_prefix(text) {
        Ok(parsed) => WrittenValue::from(parsed),
        // A pause behind the value shows that the model thought it complete.
        Err(LenientError::Truncated { .. } | LenientError::Empty) if !text.trim_end().ends_with("PAUSE") => {
            return Err(CallError::Truncated);
        }
        Err(error) => return Err(CallError::Unreadable(error.to_string())),
    };
    unquoted(written)
}

/// Takes arguments out of a string that holds them as JSON.
fn unquoted(mut written: WrittenValue) -> Result<WrittenValue, CallError> {
    let Value::String(text) = &written.value else {
        return Ok(written);
    };
    let inner = text.trim();
    if !inner.starts_with('{') {
        return Ok(written);
    }
    match lenient_json::parse(inner) {
        Ok(parsed) => {
            // The quotes around the whole are what the repair is about.
            written.repairs.retain(
                |repair| !matches!(repair, Repair::Json(one) if one.kind == RepairKind::SingleQuotes),
            );
            written.repairs.push(Repair::QuotedArguments);
            written
                .repairs
                .extend(parsed.repairs.into_iter().map(Repair::Json));
            written.value = parsed.value;
            Ok(written)
        }
        Err(error)
            if inner
                .trim_start_matches('{')
                .trim_start()
                .starts_with(['"', '\'']) =>
        {
            Err(CallError::Unreadable(format!(
                "the arguments are inside a string, and {error}"
            )))
        }
        Err(_) => Ok(written),
    }
}

/// Reads `name="value", other=1`, the keywords of a call in Python.
pub(super) fn keywords(text: &str) -> Result<Option<WrittenValue>, CallError> {
    let mut map = serde_json::Map::new();
    let mut repairs = vec![Repair::Keywords];
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let start = rest.len() - rest.trim_start().len();
        let length = rest[start..]
            .find(|found: char| !(found.is_alphanumeric() || found == '_'))
            .unwrap_or(0);
        let name = &rest[start..start + length];
        let behind = rest[start + length..].trim_start();
        if name.is_empty() || !behind.starts_with('=') || behind.starts_with("==") {
            if map.is_empty() {
                return Ok(None);
            }
            return Err(CallError::Unreadable(
                "a call by keywords is `tool(name=value, ...)`".into(),
            ));
        }
        at = text.len() - behind.len() + 1;
        let written = read(&text[at..])?;
        at += written.end;
        repairs.extend(written.repairs);
        map.insert(name.to_owned(), written.value);
        let after = text[at..].trim_start();
        at = text.len() - after.len();
        match after.strip_prefix(',') {
            Some(more) if !more.trim_start().starts_with(')') => at += 1,
            Some(more) => {
                at = text.len() - more.trim_start().len();
                break;
            }
            None => break,
        }
    }
    Ok(Some(WrittenValue {
        value: Value::Object(map),
        repairs,
        end: at,
    }))
}
