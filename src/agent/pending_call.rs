//! A call that waits for its observation.

use serde_json::Value;

/// A call that waits for its observation.
#[derive(Debug, Clone, PartialEq)]
pub struct PendingCall {
    /// Position within the turn, from 0.
    pub index: u32,
    /// The provider's id; empty when the call was written as text.
    pub id: String,
    pub tool: String,
    /// The arguments, or why they cannot be read.
    pub arguments: Result<Value, String>,
}
