//! Values that a journal refers to.

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// Text or bytes: short text inline, the rest by its digest in the run's store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Inline {
        text: String,
    },
    Stored {
        blob: Digest,
        /// Bytes.
        size: u64,
    },
}

impl Content {
    /// The longest text that is kept inline, in bytes.
    pub const INLINE: usize = 4096;

    /// Text that the caller knows to be short, kept inline whatever its length.
    pub fn inline(text: impl Into<String>) -> Self {
        Self::Inline { text: text.into() }
    }

    /// The digest of the content.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Inline { text } => Digest::compute(text),
            Self::Stored { blob, .. } => *blob,
        }
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Inline { text } => text.len() as u64,
            Self::Stored { size, .. } => *size,
        }
    }
}
