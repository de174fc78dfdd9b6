//! The signer of a journal: the key, and the events that it signs.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::domain::digest::RunningDigest;
use crate::domain::ids::RunId;
use crate::journal::line::CheckSum;
use crate::journal::log::JournalError;
use crate::run::event::Record;

use super::file::{self, Signature};
use super::keys::SigningKey;
use super::statement::{FORMAT, SignedEvent, Statement};

/// A key, and the run that it signs for.
#[derive(Debug)]
pub struct Signer {
    pub key: SigningKey,
    pub run: RunId,
    /// The format of the run.
    pub run_format: u32,
}

/// A signer that has seen all of a journal.
#[derive(Debug)]
pub struct JournalSigner {
    signer: Signer,
    path: PathBuf,
    so_far: RunningDigest,
}

impl JournalSigner {
    /// A signer behind the bytes that the journal at `path` holds.
    pub fn new(signer: Signer, path: &Path, journal: &[u8]) -> Self {
        let mut so_far = RunningDigest::default();
        so_far.add(journal);
        Self {
            signer,
            path: file::beside(path),
            so_far,
        }
    }

    /// Takes in a line that is about to be written, and signs it where it is to be signed.
    ///
    /// # Errors
    /// Signatures that cannot be written.
    pub fn take(&mut self, record: &Record, line: &[u8], head: &CheckSum) -> Result<(), JournalError> {
        self.so_far.add(line);
        let Some(event) = SignedEvent::from_event(&record.event) else {
            return Ok(());
        };
        let statement = Statement {
            format: FORMAT.to_owned(),
            run: self.signer.run.clone(),
            run_format: self.signer.run_format,
            seq: record.seq,
            event,
            head: head.clone(),
            journal: self.so_far.digest(),
        };
        let signature = self.signer.key.sign(&statement.message()?);
        let signed = Signature {
            statement,
            key: self.signer.key.public().encoded(),
            signature: STANDARD.encode(signature),
        };
        file::append(&self.path, &signed)
    }
}
