//! Text up to what is read of a document.

use crate::documents::limits::Limits;

/// Cuts text at the limit, at the end of a character, and says so.
pub fn capped(mut text: String, limits: &Limits, notes: &mut Vec<String>) -> String {
    if text.len() > limits.text {
        let whole = text.len();
        let end = (0..=limits.text)
            .rev()
            .find(|end| text.is_char_boundary(*end))
            .unwrap_or(0);
        text.truncate(end);
        notes.push(format!("Only the first {end} of {whole} bytes of text are here."));
    }
    text
}
