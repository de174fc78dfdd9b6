//! `reprise env`.

use super::args::EnvArgs;
use super::survey_table;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::environment::survey::survey;

/// Says what an analysis needs, and how that was found.
///
/// # Errors
/// A folder that cannot be read.
pub fn env(printer: Printer, args: &EnvArgs) -> Result<Status, Failure> {
    let found = survey(&args.folder, args.as_of).map_err(|error| Failure::usage(error.to_string()))?;
    if args.json {
        printer.json(&found)?;
    } else {
        survey_table::show(printer, &found);
    }
    Ok(Status::Done)
}
