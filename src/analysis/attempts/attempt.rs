//! One attempt of an agent at a task, by its outcome.

/// One attempt of an agent at a task, by its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredAttempt {
    pub agent: String,
    pub task: String,
    pub success: bool,
    /// Input and output together; absent where they are not known, as are those below.
    pub tokens: Option<f64>,
    /// US dollars.
    pub cost: Option<f64>,
    /// How sure the agent was of its success, from 0 to 1.
    pub confidence: Option<f64>,
}
