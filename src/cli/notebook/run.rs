//! `reprise notebook run`.

use crate::app::program::Program;
use crate::cli::chosen_agent::ensure_recordable;
use crate::cli::exit::{Failure, Status};
use crate::cli::notebook_attempt::prepare::prepare;
use crate::cli::output::Printer;
use crate::cli::prepared_attempt::NamedTask;

use super::run_args::RunArgs;

/// Attempts a notebook task.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let person = args.carry.attended()?;
    let (file, task) = (args.attempt.file.clone(), args.attempt.task.clone());
    let named = NamedTask {
        file: &file,
        task: task.as_deref(),
    };
    let choice = args.attempt.choice(args.program);
    let prepared = prepare(program, &choice, named, args.out.as_deref()).await?;
    let record = args.carry.record.as_deref();
    ensure_recordable(&prepared.request, record)?;
    prepared.carry(program, printer, record, person).await
}
