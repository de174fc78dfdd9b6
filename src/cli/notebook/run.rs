//! `reprise notebook run`.

use crate::app::program::Program;
use crate::cli::chosen_agent::ensure_recordable;
use crate::cli::exit::{Failure, Status};
use crate::cli::notebook_attempt::prepare::prepare;
use crate::cli::output::Printer;

use super::run_args::RunArgs;

/// Attempts a notebook task.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, mut args: RunArgs) -> Result<Status, Failure> {
    let person = args.carry.attended()?;
    args.attempt.agent.take_typed(&mut args.program);
    let prepared = prepare(program, &args.attempt, args.out.as_deref()).await?;
    let record = args.carry.record.as_deref();
    ensure_recordable(&prepared.request, record)?;
    prepared.carry(program, printer, record, person).await
}
