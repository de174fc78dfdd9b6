//! Limits on the reading of a file, and its errors.

use serde::{Deserialize, Serialize};

use crate::documents::kind::Kind;

/// Bounds of one reading. Reaching one ends the reading with an error or a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of a processor; on a busy machine they take longer by the clock.
    pub seconds: u64,
    /// Bytes of memory: of the helper process, and of what a table decodes to.
    pub memory: u64,
    /// Pages of a document; later ones are left out with a note.
    pub pages: usize,
    /// Bytes of text; what comes after is left out with a note.
    pub text: usize,
    /// Whether pages that are pictures are given to `tesseract`, where it is
    /// installed. What it reads differs between machines and versions.
    pub recognise: bool,
    /// Bytes of PNG that the pictures of a document may take; none are kept at 0.
    pub pictures: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: 60,
            memory: 1 << 30,
            pages: 2000,
            text: 64 << 20,
            recognise: false,
            pictures: 0,
        }
    }
}

/// The error of a file that could not be read; each names the way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReadError {
    /// The content is recognised, and no reader is meant for it.
    #[error("{what} Reading it as a document is not possible.")]
    NotReadable { kind: Kind, what: String },
    #[error("the file is encrypted ({0}); put a copy without a password in its place")]
    Encrypted(String),
    #[error("the file is damaged: {0}")]
    Damaged(String),
    #[error("the file holds something that is not supported: {0}")]
    Unsupported(String),
    #[error(
        "reading took longer than {0} seconds and was stopped; raise the limit or read a part of the file"
    )]
    TooSlow(u64),
    #[error("reading needs more than {0} MiB of memory; raise the limit or read a part of the file")]
    TooBig(u64),
    /// The reader itself failed on this file.
    #[error("the reader failed on this file: {0}")]
    Crashed(String),
}
