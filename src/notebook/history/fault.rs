//! Faults of histories.

/// The fault of a text that is no history of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryFault {
    /// In the parser's words, which quote no content but keys and types.
    #[error("it is no JSON ({0})")]
    NotJson(String),
    #[error("it is no object")]
    NotObject,
    #[error("it has neither `format`, `cells` nor `history`, and is no history of an attempt")]
    Unknown,
    #[error("it is no history of ours ({0})")]
    NotOurs(String),
    #[error("its `format` is `{0}`, which this program does not read")]
    OtherFormat(String),
    #[error("its `{0}` is no list")]
    NoList(&'static str),
    /// Counted from 1.
    #[error("entry {0} of its `history` is no step")]
    NotStep(usize),
    /// Counted from 1.
    #[error("cell {0} has no source")]
    NoSource(usize),
}
