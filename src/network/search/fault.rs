//! Faults of search engines.

/// The fault of a search without results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchFault {
    /// Nobody but the operator can mend it.
    #[error("{0}")]
    Misconfigured(String),
    /// Another attempt may do better.
    #[error("{0}")]
    Failed(String),
}
