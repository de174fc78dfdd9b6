//! `reprise capsule run`.

use crate::app::program::Program;
use crate::cli::capsule_attempt::prepare::prepare;
use crate::cli::chosen_agent::ensure_recordable;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::prepared_attempt::NamedTask;

use super::run_args::RunArgs;

/// Attempts a capsule.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, mut args: RunArgs) -> Result<Status, Failure> {
    let person = args.carry.attended()?;
    let record = args.carry.record.as_deref();
    args.attempt.choice.open_task_folder()?;
    let (file, task) = (args.attempt.choice.file.clone(), args.attempt.task.clone());
    let named = NamedTask {
        file: &file,
        task: task.as_deref(),
    };
    let choice = args.attempt.choice(args.program);
    let prepared = prepare(program, &choice, named, args.out.as_deref()).await?;
    ensure_recordable(&prepared.request, record)?;
    prepared.carry(program, printer, record, person).await
}
