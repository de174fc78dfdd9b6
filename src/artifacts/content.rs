//! Values by name: short text inline, everything else in a store.

use crate::domain::content::Content;

use super::store::{Store, StoreError};

/// Names `bytes`, keeping them in the store unless they are a short text.
///
/// # Errors
/// A store that cannot be written.
pub fn keep(bytes: &[u8], store: &dyn Store) -> Result<Content, StoreError> {
    if bytes.len() <= Content::INLINE
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Ok(Content::inline(text));
    }
    let blob = store.put(bytes)?;
    Ok(Content::Stored {
        blob,
        size: bytes.len() as u64,
    })
}

/// The bytes behind a name.
///
/// # Errors
/// Bytes that the store lacks, or holds with another digest or size.
pub fn load(content: &Content, store: &dyn Store) -> Result<Vec<u8>, StoreError> {
    let (blob, size) = match content {
        Content::Inline { text } => return Ok(text.clone().into_bytes()),
        Content::Stored { blob, size } => (*blob, *size),
    };
    let bytes = store.get(&blob)?;
    let found = bytes.len() as u64;
    if found != size {
        return Err(StoreError::WrongSize {
            digest: blob,
            expected: size,
            found,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifacts::disk::DiskStore;

    #[test]
    fn short_texts_are_inline_and_the_rest_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        for bytes in [&b""[..], b"short", &[0xff, 0xfe], &[b'x'; Content::INLINE + 1]] {
            let content = keep(bytes, &store).unwrap();
            assert_eq!(load(&content, &store).unwrap(), bytes);
            assert_eq!(content.size(), bytes.len() as u64);
            let inline = bytes.len() <= Content::INLINE && std::str::from_utf8(bytes).is_ok();
            assert_eq!(matches!(content, Content::Inline { .. }), inline);
        }
    }

    #[test]
    fn a_wrong_size_in_the_journal_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        let blob = store.put(b"\xff\xff").unwrap();
        let wrong = Content::Stored { blob, size: 3 };
        assert!(matches!(
            load(&wrong, &store),
            Err(StoreError::WrongSize {
                expected: 3,
                found: 2,
                ..
            })
        ));
    }
}
