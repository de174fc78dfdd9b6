//! `reprise report`.

use crate::engine::session::Session;

use super::args::ReportArgs;
use super::exit::{Failure, Status};
use super::output::Printer;

/// Writes a run's report.
pub fn report(printer: Printer, args: &ReportArgs) -> Result<Status, Failure> {
    let _ = (printer, args);
    Ok(Status::Done)
}

/// Writes what every finished run gets.
pub fn write_all(session: &Session) -> Result<(), Failure> {
    let _ = session;
    Ok(())
}
