//! `reprise record`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::app;
use crate::app::program::Program;
use crate::app::toolset::Toolset;
use crate::effects::recording;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;

use super::exit::{Failure, Status};
use super::output::Printer;
use super::run_folder;

#[derive(Debug, Args)]
#[command(after_help = "\
The recording is made from the run's journal, so a run that was killed has one as far as it came.

Example:
  reprise record RUN session.json
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
    let folder = run_folder::folder(&args.dir)?;
    let run = RunReader::open(folder.clone())?;
    let to = place(&run.request.study, &args.to)?;
    let turns = write(program, &folder, &to)?;
    printer.line(format!("{}: {turns} answers", to.display()));
    Ok(Status::Done)
}

/// Where a recording goes; never over one that is there.
///
/// # Errors
/// A file that is there already.
pub fn place(study: &Path, to: &str) -> Result<PathBuf, Failure> {
    let path = app::recorded::recording_path(study, to);
    let path =
        std::path::absolute(&path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    if path.exists() {
        return Err(Failure::usage(format!(
            "{} is there already: record under another name, or move it away",
            path.display()
        )));
    }
    Ok(path)
}

/// Writes the recording of a run; returns the answers that it holds.
///
/// # Errors
/// A run that cannot be read, or a recording that cannot be written.
pub fn write(program: &Program, folder: &RunFolder, to: &Path) -> Result<usize, Failure> {
    let run = RunReader::open(folder.clone())?;
    let toolset = Toolset::for_request(program, &run.request)?;
    let recording = recording::from_run(&run, toolset.catalog(), toolset.tools())?;
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(|error| EngineError::io(parent, error))?;
    }
    recording.write(to).map_err(EngineError::from)?;
    Ok(recording.stages.values().map(|stage| stage.turns.len()).sum())
}
