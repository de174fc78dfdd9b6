//! `reprise replay record`.

use std::path::PathBuf;

use clap::Args;

use crate::app::program::Program;
use crate::app::session_recording;
use crate::engine::run_reader::RunReader;

use super::exit::{Failure, Status};
use super::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
The recording is made from the run's journal, so a run that was killed has one as far as it came.

Example:
  reprise replay record RUN session.json
  reprise run STUDY --model recorded:./session.json")]
pub struct RecordArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The file, or a name under the study's recordings/.
    #[arg(value_name = "FILE|NAME")]
    pub to: String,
}

/// Writes a run's session into a recording.
///
/// # Errors
/// A run that cannot be read, or a recording that cannot be written.
pub fn record(program: &Program, printer: Printer, args: &RecordArgs) -> Result<Status, Failure> {
    let run = RunReader::open(&args.dir)?;
    let to = session_recording::place(&run.request.study, &args.to)?;
    let turns = session_recording::write(program, &run, &to)?;
    printer.line(format!("{}: {turns} answers", to.display()));
    Ok(Status::Done)
}
