//! Why a text is no call.

/// Why no call was read.
pub(super) enum CallError {
    /// The text is a sentence, not a call.
    Prose,
    Truncated,
    Unreadable(String),
}
