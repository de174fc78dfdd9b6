//! A store without a disk.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::store::{Store, StoreError};
use crate::domain::digest::Digest;

/// Blobs in memory, for replays and tests.
#[derive(Debug, Default)]
pub struct MemoryStore {
    blobs: Mutex<BTreeMap<Digest, Vec<u8>>>,
}

impl MemoryStore {
    fn blobs(&self) -> MutexGuard<'_, BTreeMap<Digest, Vec<u8>>> {
        // A map of whole values is consistent whichever thread panicked.
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::compute(bytes);
        self.blobs().entry(digest).or_insert_with(|| bytes.to_vec());
        Ok(digest)
    }

    fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        self.blobs()
            .get(digest)
            .cloned()
            .ok_or(StoreError::Missing { digest: *digest })
    }

    fn has(&self, digest: &Digest) -> bool {
        self.blobs().contains_key(digest)
    }
}
