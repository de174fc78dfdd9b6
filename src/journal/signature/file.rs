//! The file of a run's signatures, one a line.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::journal::log::JournalError;

use super::statement::Statement;

/// A statement with its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    #[serde(flatten)]
    pub statement: Statement,
    /// The public key in Base64: whose it says that it is.
    pub key: String,
    /// In Base64.
    pub signature: String,
}

impl Signature {
    /// The signature's bytes; none where the text holds none.
    pub fn bytes(&self) -> Vec<u8> {
        STANDARD.decode(&self.signature).unwrap_or_default()
    }
}

/// The file beside a journal.
pub fn beside(journal: &Path) -> PathBuf {
    journal.with_file_name("signatures.jsonl")
}

/// Every signature; a line that holds none is passed over, which leaves its event unsigned.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn read(path: &Path) -> Result<Vec<Signature>, JournalError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(JournalError::io(path, error)),
    };
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
}

/// Writes a signature behind the others; when this returns, it is on disk.
///
/// # Errors
/// A file that cannot be written.
pub fn append(path: &Path, signature: &Signature) -> Result<(), JournalError> {
    let mut line = serde_json::to_vec(signature)?;
    line.push(b'\n');
    File::options()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(&line).and_then(|()| file.sync_all()))
        .map_err(|error| JournalError::io(path, error))
}

/// Drops the signature of an event that a crash kept out of the journal, which ends with
/// `last`. Signatures of later events stay: the journal held those, and has been cut.
///
/// # Errors
/// A file that cannot be read or written.
pub fn drop_unwritten(path: &Path, last: u64) -> Result<(), JournalError> {
    let all = read(path)?;
    let furthest = all.iter().map(|one| one.statement.seq).max();
    if furthest != last.checked_add(1) {
        return Ok(());
    }
    let mut kept = Vec::new();
    for one in all.iter().filter(|one| one.statement.seq <= last) {
        serde_json::to_writer(&mut kept, one)?;
        kept.push(b'\n');
    }
    let partial = path.with_extension("partial");
    std::fs::write(&partial, &kept)
        .and_then(|()| std::fs::rename(&partial, path))
        .map_err(|error| JournalError::io(path, error))
}
