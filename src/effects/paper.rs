//! The paper of a run, read.

use std::fs;

use crate::documents::document::Document;
use crate::documents::limits::{Limits, ReadError};
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::study::layout;

use super::context::Effects;

/// Whether the task has a paper.
pub fn has_paper(session: &Session) -> bool {
    session.folder.workspace().join(layout::PAPER).is_file()
}

/// The paper, read by its helper.
///
/// # Errors
/// A paper that is not in the workspace or cannot be read from the disk; a damaged one is the inner
/// error.
pub fn read_paper(effects: &Effects, session: &Session) -> Result<Result<Document, ReadError>, EngineError> {
    let name = layout::PAPER;
    let path = session.folder.workspace().join(name);
    let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
    Ok(effects.ports.documents.read(name, &bytes, &Limits::default()))
}
