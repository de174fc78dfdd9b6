//! A value that is inline while it is small.

use serde::{Deserialize, Serialize};

use super::store::{Store, StoreError};
use crate::domain::digest::Digest;

/// Texts up to this many bytes stay inline.
pub const INLINE: usize = 4 << 10;

/// Bytes of any size as the journal names them: `{"text": ...}` for UTF-8 up to
/// [`INLINE`] bytes, else `{"blob": "sha256:...", "size": bytes}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(Inline),
    Blob(Blob),
}

/// A small text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inline {
    pub text: String,
}

/// The name of stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    pub blob: Digest,
    /// Bytes.
    pub size: u64,
}

impl Content {
    /// Keeps bytes, in the store unless they are a small text.
    pub fn keep(bytes: &[u8], store: &dyn Store) -> Result<Self, StoreError> {
        if bytes.len() <= INLINE
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Ok(Self::Text(Inline {
                text: text.to_owned(),
            }));
        }
        let blob = store.put(bytes)?;
        Ok(Self::Blob(Blob {
            blob,
            size: bytes.len() as u64,
        }))
    }

    /// The bytes.
    pub fn load(&self, store: &dyn Store) -> Result<Vec<u8>, StoreError> {
        let Blob { blob, size } = match self {
            Self::Text(inline) => return Ok(inline.text.clone().into_bytes()),
            Self::Blob(blob) => *blob,
        };
        let bytes = store.get(&blob)?;
        if bytes.len() as u64 != size {
            return Err(StoreError::WrongSize {
                digest: blob,
                expected: size,
                found: bytes.len() as u64,
            });
        }
        Ok(bytes)
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Text(inline) => inline.text.len() as u64,
            Self::Blob(blob) => blob.size,
        }
    }

    /// The digest of the bytes.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Text(inline) => Digest::of(&inline.text),
            Self::Blob(blob) => blob.blob,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::artifacts::memory::MemoryStore;

    fn round_trip(bytes: &[u8]) -> (Content, String) {
        let store = MemoryStore::default();
        let content = Content::keep(bytes, &store).unwrap();
        let json = serde_json::to_string(&content).unwrap();
        let read: Content = serde_json::from_str(&json).unwrap();
        assert_eq!(read, content);
        assert_eq!(read.load(&store).unwrap(), bytes);
        assert_eq!(
            (read.size(), read.digest()),
            (bytes.len() as u64, Digest::of(bytes))
        );
        (content, json)
    }

    #[test]
    fn small_texts_are_inline_and_the_rest_are_blobs() {
        assert_eq!(round_trip(b"ok").1, r#"{"text":"ok"}"#);
        assert!(matches!(round_trip(&[b'x'; INLINE]).0, Content::Text(_)));
        assert!(matches!(round_trip(&[b'x'; INLINE + 1]).0, Content::Blob(_)));
        let (_, json) = round_trip(&[0xff]);
        assert!(json.starts_with(r#"{"blob":"sha256:a8100ae6"#) && json.ends_with(r#","size":1}"#));
    }

    #[test]
    fn neither_shape_accepts_more_or_less() {
        for bad in [
            "{}",
            r#"{"text":"a","size":1}"#,
            r#"{"blob":"sha256:00","size":1}"#,
        ] {
            assert!(serde_json::from_str::<Content>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_value_comes_back(bytes in proptest::collection::vec(any::<u8>(), 0..9000)) {
            round_trip(&bytes);
        }
    }
}
