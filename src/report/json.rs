//! The picture as JSON, for programs.

use serde::Serialize;

use super::view::View;
use crate::report::sanitize::acts;

/// The format's name and version.
pub const FORMAT: &str = "reprise-report/1";

#[derive(Serialize)]
struct Document<'a, T> {
    format: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

/// The view as indented JSON, `{"format": "reprise-report/1", ...}`.
///
/// # Errors
/// A view that JSON cannot hold.
pub fn render(view: &View) -> Result<String, serde_json::Error> {
    document(FORMAT, view)
}

/// Indented JSON that begins with its format, with keys in their declared
/// order. Characters that steer a display are written as `\u` escapes; every
/// other text is as it was.
///
/// # Errors
/// Content that JSON cannot hold.
pub fn document<T: Serialize>(format: &'static str, content: &T) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(&Document { format, content })?;
    let mut out = String::with_capacity(text.len() + 1);
    for character in text.chars() {
        // Outside of strings, JSON is ASCII, so an escape is always valid here.
        if acts(character) || character == '\x7f' {
            let mut units = [0_u16; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    Ok(out)
}
