//! The news of asking an index.

/// A moment of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexNews {
    /// Pages and files that have been had.
    pub answered: usize,
    /// What is asked for.
    pub asked: String,
}

/// Is told how the asking goes.
pub type OnNews<'a> = &'a (dyn Fn(IndexNews) + Send + Sync);
