//! `reprise replay`.

use crate::settings::Settings;

use super::args::ReplayArgs;
use super::exit::{Failure, Status};
use super::output::Printer;

/// Executes a run again without its model.
pub async fn replay(settings: &Settings, printer: Printer, args: ReplayArgs) -> Result<Status, Failure> {
    let _ = (settings, printer, args);
    Ok(Status::Done)
}
