//! Errors of texts that are no calls.

/// The error of a text from which no call was read.
pub(super) enum CallError {
    /// The text is a sentence, not a call.
    Prose,
    Truncated,
    Unreadable(String),
}
