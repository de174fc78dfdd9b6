//! `reprise score sheet`.

use std::collections::BTreeMap;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::scoring::aggregate::grading::short;
use crate::scoring::agreement::gradings::Marks;
use crate::scoring::agreement::sheet::COLUMNS;

use super::args::SheetArgs;
use super::given;
use super::input;

/// An item by paper, run, stage and field.
type Key = [String; 4];

/// Prints the fields of the gradings below a folder as a table for a person's
/// marks, with one judge's marks in it where one is named.
pub fn sheet(printer: Printer, args: &SheetArgs) -> Result<Status, Failure> {
    let mut items: BTreeMap<Key, Option<String>> = BTreeMap::new();
    let mut is_known = args.marks.is_none();
    for grading in given::below(&args.dir) {
        let mut marks = Marks::default();
        match input::read(&grading.path) {
            Ok(bytes) => marks.add_json("", &bytes),
            Err(failure) => marks.problems.push(failure.message),
        }
        for problem in &marks.problems {
            printer.note(format!("{}: {problem}.", grading.path.display()));
        }
        marks.leave_out(&grading.by_code());
        let is_asked = args.marks.as_ref().is_some_and(|judge| grading.is_of(judge));
        is_known |= is_asked;
        for ((_, field), mark) in marks.items {
            let key = [
                grading.paper.clone(),
                grading.run.clone(),
                grading.stage.to_owned(),
                field,
            ];
            // A spreadsheet takes such a cell for a formula.
            if key
                .iter()
                .any(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r']))
            {
                printer.note(format!(
                    "{}: `{}` starts like a formula and is left out.",
                    grading.path.display(),
                    short(&key[3])
                ));
                continue;
            }
            let cell = items.entry(key).or_default();
            if is_asked {
                *cell = Some(mark.map_or_else(|| "NA".to_owned(), |mark| mark.to_string()));
            }
        }
    }
    if items.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no grading with fields to mark: let a judge grade first (`reprise score RUN --judge MODEL`)",
            args.dir.display()
        )));
    }
    if let Some(judge) = args.marks.as_ref().filter(|_| !is_known) {
        return Err(Failure::usage(format!(
            "{} holds no grading of {judge}",
            args.dir.display()
        )));
    }
    let mut table = csv::Writer::from_writer(Vec::new());
    let unwritable =
        |error: &dyn std::fmt::Display| Failure::usage(format!("the table cannot be written: {error}"));
    table.write_record(COLUMNS).map_err(|error| unwritable(&error))?;
    for ([paper, run, stage, field], mark) in &items {
        let score = mark.as_deref().unwrap_or_default();
        table
            .write_record([paper, field, score, stage, run])
            .map_err(|error| unwritable(&error))?;
    }
    let bytes = table.into_inner().map_err(|error| unwritable(&error))?;
    printer.raw(&String::from_utf8_lossy(&bytes));
    Ok(Status::Done)
}
