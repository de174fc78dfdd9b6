//! Histories as runs of ours write them: `reprise-notebook-history/1`.

use serde::{Deserialize, Serialize};

use super::fault::HistoryFault;
use super::step::{HistorySource, NotebookHistory, NotebookStep};
use crate::domain::excerpt;

/// The `format` of such a file.
pub const FORMAT: &str = "reprise-notebook-history/1";

#[derive(Serialize, Deserialize)]
struct OwnFile {
    format: String,
    task: Option<String>,
    steps: Vec<NotebookStep>,
}

/// Reads a history of ours.
///
/// # Errors
/// A text that is none, with the parser's words, which quote no content but types and keys.
pub(super) fn read(text: &str) -> Result<NotebookHistory, HistoryFault> {
    let file: OwnFile =
        serde_json::from_str(text).map_err(|error| HistoryFault::NotOurs(error.to_string()))?;
    if file.format != FORMAT {
        return Err(HistoryFault::OtherFormat(excerpt::shortened(&file.format, 60)));
    }
    Ok(NotebookHistory {
        source: HistorySource::Own,
        task: file.task,
        steps: file.steps,
    })
}
