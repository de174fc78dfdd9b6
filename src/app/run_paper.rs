//! The paper that a run worked on.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::documents::document::Document;
use crate::documents::limits::{Limits, ReadError};
use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::study::layout::PAPER;

use super::toolset::document_helper;

/// A paper in which nothing can be looked up.
#[derive(Debug, thiserror::Error)]
pub enum PaperFault {
    #[error("{0}")]
    Io(io::Error),
    #[error(
        "it is not the paper that the run was given, whose digest begins with {}, this one's with {}",
        .given.short(),
        .found.short()
    )]
    Changed { given: Digest, found: Digest },
    #[error("{0}")]
    Unreadable(ReadError),
    #[error(transparent)]
    Helper(EngineError),
}

impl PaperFault {
    /// The error of an operator who asked for the paper of a run.
    pub fn into_error(self, run: &RunReader) -> EngineError {
        match self {
            Self::Helper(error) => error,
            fault => EngineError::Unusable(format!("{}: {fault}", place(run).display())),
        }
    }
}

/// The paper in a run's folder, read in a helper process.
///
/// # Errors
/// A paper that is not there or cannot be read.
pub fn read(run: &RunReader) -> Result<Document, PaperFault> {
    document(&bytes(run)?)
}

/// The same, where it is the paper that the run was given.
///
/// # Errors
/// A paper that is not there, is another than the run was given, or cannot be read.
pub fn read_given(run: &RunReader) -> Result<Document, PaperFault> {
    let bytes = bytes(run)?;
    match (
        run.state.study_copy().and_then(|copy| copy.paper),
        Digest::compute(&bytes),
    ) {
        (Some(given), found) if given != found => Err(PaperFault::Changed { given, found }),
        _ => document(&bytes),
    }
}

/// The paper's path in the run's folder.
pub fn place(run: &RunReader) -> PathBuf {
    run.folder.workspace().join(PAPER)
}

/// The paper's bytes.
///
/// # Errors
/// A paper that is not there.
pub fn bytes(run: &RunReader) -> Result<Vec<u8>, PaperFault> {
    fs::read(place(run)).map_err(PaperFault::Io)
}

fn document(bytes: &[u8]) -> Result<Document, PaperFault> {
    document_helper()
        .map_err(PaperFault::Helper)?
        .read(PAPER, bytes, &Limits::default())
        .map_err(PaperFault::Unreadable)
}
