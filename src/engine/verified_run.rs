//! A run held against its signatures and a reader's key: its journal, and the values that
//! the journal names.

use std::fs;

use serde::Serialize;
use serde_json::Value;

use crate::artifacts::disk::DiskStore;
use crate::artifacts::store::Store as _;
use crate::domain::digest::Digest;
use crate::journal::read;
use crate::journal::signature::file;
use crate::journal::signature::keys::PublicKey;
use crate::journal::signature::verification::Verification;

use super::error::EngineError;
use super::folder::RunFolder;

/// A run's verification, with the values that its journal names.
#[derive(Debug, Serialize)]
pub struct VerifiedRun {
    #[serde(flatten)]
    pub journal: Verification,
    /// Bytes of a torn last line of the journal.
    pub torn: u64,
    /// Values that the journal names and that are absent or not what it names, each in words.
    pub damaged: Vec<String>,
}

impl VerifiedRun {
    /// Holds the run in a folder against its signatures.
    ///
    /// # Errors
    /// A folder without a journal, or one that cannot be read or is damaged.
    pub fn open(folder: &RunFolder, key: &PublicKey) -> Result<Self, EngineError> {
        let path = folder.journal();
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        let found = read::read_bytes(&bytes, &path)?;
        let signatures = file::read(&folder.signatures())?;
        let store = DiskStore::open(&folder.store())?;
        let mut damaged = Vec::new();
        for record in &found.records {
            let event = serde_json::to_value(&record.event)
                .map_err(|error| EngineError::Unusable(format!("event {}: {error}", record.seq)))?;
            let mut named = Vec::new();
            collect_blobs(&event, &mut named);
            for digest in named {
                if let Err(error) = store.get(&digest) {
                    damaged.push(format!("event {}: {error}", record.seq));
                }
            }
        }
        Ok(Self {
            journal: Verification::new(&bytes, &found, &signatures, key),
            torn: found.torn,
            damaged,
        })
    }

    /// Whether all that signatures can cover is covered and as it was signed.
    pub fn is_good(&self) -> bool {
        self.journal.is_good() && self.damaged.is_empty()
    }
}

/// The digests of stored values anywhere in an event.
fn collect_blobs(value: &Value, named: &mut Vec<Digest>) {
    match value {
        Value::Object(fields) => {
            let blob = fields.get("blob").and_then(Value::as_str);
            named.extend(blob.and_then(|text| text.parse::<Digest>().ok()));
            fields.values().for_each(|value| collect_blobs(value, named));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_blobs(item, named)),
        _ => {}
    }
}
