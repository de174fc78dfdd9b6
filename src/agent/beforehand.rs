//! Acts of a task's own before its agent's first turn, as a message.

/// The message, before the first turn and from the second on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBeforehand {
    pub first: String,
    /// With less of what was seen last.
    pub later: String,
}
