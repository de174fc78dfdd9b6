//! `reprise preregister`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::report::preregistration::{NoPlan, Preregistration, executed_before};
use crate::report::template::TemplateError;

use super::exit::{Failure, Status};
use super::output::Printer;
use super::run_folder;

#[derive(Debug, Args)]
#[command(after_help = "\
The plan is written as preregistration.md and preregistration.html (which word processors open), in the order \
of the OSF's form and with the digests of plan, code and data.

Examples:
  reprise run STUDY --stages ..design --out RUN
  reprise preregister RUN
  reprise resume RUN --stages ..interpret --registration https://osf.io/abcde")]
pub struct PreregisterArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The folder to write into [default: the run's]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Print the plan as JSON instead.
    #[arg(long)]
    pub json: bool,
}

/// Writes the plan of a run that has not carried it out, to be registered.
///
/// # Errors
/// A run without a plan or with results, or a folder that cannot be written.
pub fn preregister(printer: Printer, args: &PreregisterArgs) -> Result<Status, Failure> {
    let run = RunReader::open(&args.dir)?;
    let plan = Preregistration::from_run(&run).map_err(|error| match error {
        NoPlan::Engine(error) => error.into(),
        error => Failure::usage(error.to_string()),
    })?;
    for other in executed_before(&run) {
        printer.note(format!(
            "{} has executed the same scripts on the same data: what is registered after it is not fixed before its \
             results were known.",
            run_folder::shown(&other)
        ));
    }
    if args.json {
        printer.json(&json!(plan))?;
        return Ok(Status::Done);
    }
    let failed = |error: TemplateError| Failure::from(EngineError::Unusable(error.to_string()));
    let out = args.out.as_deref().unwrap_or(run.folder.path());
    std::fs::create_dir_all(out).map_err(|error| EngineError::io(out, error))?;
    let pages = [
        ("md", plan.markdown().map_err(failed)?),
        ("html", plan.html().map_err(failed)?),
    ];
    for (ending, text) in pages {
        let path = out.join(format!("preregistration.{ending}"));
        atomic_file::replace(&path, text.as_bytes(), out)?;
        printer.line(path.display());
    }
    Ok(Status::Done)
}
