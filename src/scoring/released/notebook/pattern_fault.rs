//! Faults of patterns.

/// The reason for which a pattern cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// Python raises at it as well.
    #[error("Python refuses it: {0}")]
    Python(&'static str),
    /// Python may take it.
    #[error("{0}")]
    NotTaken(String),
}
