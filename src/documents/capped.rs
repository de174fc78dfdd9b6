//! Text up to what is read of a document.

use crate::documents::limits::Limits;

/// Cuts text at the limit, at the end of a character, and says so.
pub fn capped(mut text: String, limits: &Limits, notes: &mut Vec<String>) -> String {
    if text.len() > limits.text {
        let whole = text.len();
        let end = text.floor_char_boundary(limits.text);
        text.truncate(end);
        notes.push(format!("Only the first {end} of {whole} bytes of text are here."));
    }
    text
}
