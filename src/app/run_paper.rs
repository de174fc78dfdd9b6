//! The paper that a run worked on.

use std::fs;
use std::path::PathBuf;

use crate::documents::document::Document;
use crate::documents::limits::Limits;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::study::layout::PAPER;

use super::toolset::document_helper;

/// The paper, read in a helper process.
///
/// # Errors
/// A paper that is not there or cannot be read.
pub fn read(run: &RunReader) -> Result<Document, EngineError> {
    let (path, bytes) = file(run)?;
    document_helper()?
        .read(PAPER, &bytes, &Limits::default())
        .map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))
}

/// The paper's file, and what it holds.
///
/// # Errors
/// A paper that is not there.
pub fn file(run: &RunReader) -> Result<(PathBuf, Vec<u8>), EngineError> {
    let path = run.folder.workspace().join(PAPER);
    let bytes =
        fs::read(&path).map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
    Ok((path, bytes))
}
