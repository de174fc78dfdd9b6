//! Progress of a streamed answer, for whoever watches the run.

use std::sync::Arc;

use crate::domain::conversation::Position;

/// The part of an answer that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub position: Position,
    /// Bytes of text, hidden reasoning and arguments.
    pub bytes: usize,
    /// Calls begun.
    pub calls: usize,
}

/// Is told whenever more of an answer has arrived.
pub type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;
