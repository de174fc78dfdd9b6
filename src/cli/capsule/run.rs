//! `reprise capsule run`.

use crate::app::program::Program;
use crate::cli::capsule_attempt::prepare::prepare;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

use super::run_args::RunArgs;

/// Attempts a capsule.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let person = args.carry.attended()?;
    let agent = args.agent.request(&program.settings, &args.attempt)?;
    let mut prepared = prepare(program, &args.attempt, args.out.as_deref()).await?;
    prepared.request.agent = agent;
    let record = args.carry.record.as_deref();
    prepared.carry(program, printer, record, person).await
}
