//! The paper that a run worked on.

use std::fs;
use std::path::PathBuf;

use crate::cli::exit::Failure;
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::study::layout::PAPER;

/// The paper, read in a helper process.
///
/// # Errors
/// A paper that is not there or cannot be read.
pub fn read(run: &RunReader) -> Result<Document, Failure> {
    let (path, bytes) = file(run)?;
    helper()?
        .read(PAPER, &bytes, &Limits::default())
        .map_err(|error| Failure::from(EngineError::Unusable(format!("{}: {error}", path.display()))))
}

/// The paper's file, and what it holds.
///
/// # Errors
/// A paper that is not there.
pub fn file(run: &RunReader) -> Result<(PathBuf, Vec<u8>), Failure> {
    let path = run.folder.workspace().join(PAPER);
    let bytes =
        fs::read(&path).map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
    Ok((path, bytes))
}

/// The program itself as a reader of files.
///
/// # Errors
/// A program that cannot tell its own file.
pub fn helper() -> Result<Helper, Failure> {
    Helper::from_current_exe()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")).into())
}
