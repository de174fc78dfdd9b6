//! `reprise notebook export`.

use std::fs::OpenOptions;
use std::io::Write as _;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line};
use crate::domain::format;
use crate::notebook::export::notebook;

use super::args::ExportArgs;
use super::attempts::{attempt, found};

/// Writes a history as a notebook.
///
/// # Errors
/// A history that cannot be read, or a file that is there or cannot be written.
pub fn export(printer: Printer, args: &ExportArgs) -> Result<Status, Failure> {
    let mut files = found(std::slice::from_ref(&args.run));
    let one = match (files.pop(), files.is_empty()) {
        (Some(file), true) => file.and_then(attempt),
        _ => {
            return Err(Failure::usage(format!(
                "{} holds several histories: name one of them",
                args.run.display()
            )));
        }
    };
    let mut read =
        one.map_err(|unread| Failure::usage(format!("{}: {}", unread.path.display(), unread.why)))?;
    read.history.task = read.history.task.take().or_else(|| read.names.first().cloned());
    let text = serde_json::to_string_pretty(&notebook(&read.history))
        .map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    let fault = |error: std::io::Error| Failure::usage(format!("--out {}: {error}", args.out.display()));
    // What is there is somebody's.
    let file = OpenOptions::new().write(true).create_new(true).open(&args.out);
    let mut file = file.map_err(fault)?;
    file.write_all(text.as_bytes()).map_err(fault)?;
    file.write_all(b"\n").map_err(fault)?;
    printer.line(format!(
        "{}: {}",
        one_line(&args.out.display().to_string()),
        format::counted(read.history.steps.len(), "step", "steps")
    ));
    Ok(Status::Done)
}
