//! `reprise score sheet`.

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::grading::discovery::fields_to_mark::FieldsToMark;
use crate::scoring::agreement::sheet::COLUMNS;

use super::args::SheetArgs;

/// Prints the fields of the gradings below a folder as a table for a person's
/// marks, with one judge's marks in it where one is named.
///
/// # Errors
/// A folder without fields to mark, or without gradings of the named judge.
pub fn sheet(printer: Printer, args: &SheetArgs) -> Result<Status, Failure> {
    let found = FieldsToMark::below(&args.dir, args.marks.as_deref());
    for problem in &found.problems {
        printer.note(problem);
    }
    if found.fields.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no grading with fields to mark: let a judge grade first (`reprise score RUN --judge MODEL`)",
            args.dir.display()
        )));
    }
    if let Some(judge) = args.marks.as_ref().filter(|_| !found.knows_judge) {
        return Err(Failure::usage(format!(
            "{} holds no grading of {judge}",
            args.dir.display()
        )));
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    let unwritable =
        |error: &dyn std::fmt::Display| Failure::usage(format!("the table cannot be written: {error}"));
    table.write_record(COLUMNS).map_err(|error| unwritable(&error))?;
    for ([paper, run, stage, field], mark) in &found.fields {
        let score = mark.as_deref().unwrap_or_default();
        table
            .write_record([paper, field, score, stage, run])
            .map_err(|error| unwritable(&error))?;
    }
    let bytes = table.into_inner().map_err(|error| unwritable(&error))?;
    printer.raw(&String::from_utf8_lossy(&bytes));
    Ok(Status::Done)
}
