//! `reprise capsule run`.

use crate::app::program::Program;
use crate::cli::capsule_attempt::prepare::prepare;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

use super::agent_args::ChosenAgent;
use super::own_agent::lay_terms;
use super::run_args::RunArgs;

/// Attempts a capsule.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let person = args.carry.attended()?;
    let agent = args.agent.chosen(&program.settings, &args.attempt)?;
    let record = args.carry.record.as_deref();
    if record.is_some() && matches!(agent, ChosenAgent::Program(_)) {
        return Err(Failure::usage(
            "--record: the calls of a program are no session that a recording could answer; leave it out or --agent".to_owned(),
        ));
    }
    let mut prepared = prepare(program, &args.attempt, args.out.as_deref()).await?;
    match agent {
        ChosenAgent::Own(own) => lay_terms(program, &args.attempt, own, &mut prepared)?,
        ChosenAgent::Program(agent) => prepared.request.agent = Some(agent),
    }
    prepared.carry(program, printer, record, person).await
}
