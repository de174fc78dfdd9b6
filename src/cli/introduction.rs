//! The lines that are told before a run begins: whose session is replayed, and what marks mean.

use std::path::Path;

use crate::model::name::ModelName;
use crate::model::recording::format::Recording;
use crate::model::recording::path::recording_path;

use super::output::{Printer, one_line, paint, styled};

/// Tells what a recording says of itself, and the legend of what follows.
pub fn tell(printer: Printer, task: &Path, model: &str) {
    if let Ok(ModelName::Recorded(file)) = model.parse()
        && let Ok(recording) = Recording::open(&recording_path(task, &file))
    {
        let words = recording.note.0.replace('\n', " ");
        let note = if words.is_empty() {
            String::new()
        } else {
            format!(". {words}")
        };
        printer.note(styled(
            paint::FAINT,
            one_line(&format!("A recording is replayed, {}{note}", recording.origin)),
        ));
    }
    printer.note(styled(
        paint::FAINT,
        "· a tool's call   ! one that failed   ? a question to whoever approves   Ctrl-C stops, and `resume` goes on",
    ));
}
