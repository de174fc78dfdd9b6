//! Faults of the table.

/// A fault of the table's files.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("rescue/{file}: {message}")]
    Unreadable { file: String, message: String },
    #[error("rescue/{file}, entry `{entry}`: {fault}")]
    Entry {
        file: String,
        entry: String,
        fault: EntryFault,
    },
}

/// A fault of one entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryFault {
    #[error("it has neither `message` nor `script`, so that nothing is matched")]
    NothingToMatch,
    #[error("it needs a `{0}`, which it lacks")]
    Lacks(&'static str),
    #[error("there is an entry of this name already")]
    Twice,
    #[error(transparent)]
    Version(#[from] super::version::VersionError),
}
