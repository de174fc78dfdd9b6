//! Acts of a task's own before its agent's first turn.

/// The acts as one message, before the first turn and from the second on; and one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBeforehand {
    pub first: String,
    /// With less of what was seen last.
    pub later: String,
    pub steps: Vec<StepBeforehand>,
}

/// An act, as a step of its agent's would stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepBeforehand {
    pub thought: String,
    /// Its type.
    pub action: String,
    pub content: String,
    pub seen: String,
}
