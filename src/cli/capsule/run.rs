//! `reprise capsule run`.

use crate::app;
use crate::app::program::Program;
use crate::cli::attended_run::{self, AttendedBy};
use crate::cli::capsule_attempt::prepare::prepare;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::{introduction, run_folder};

use super::run_args::RunArgs;

/// Attempts a capsule.
///
/// # Errors
/// A task or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let signing = args.sign.open()?;
    let agent = args.agent.request(&program.settings, &args.attempt)?;
    let mut prepared = prepare(program, &args.attempt, args.out.as_deref()).await?;
    prepared.request.agent = agent;
    let root = &prepared.task.root;
    let record = args.record.as_deref();
    prepared.request.record = record
        .map(|to| app::session_recording::place(root, to))
        .transpose()?;
    let folder = run_folder::create(&prepared.folder)?;
    prepared.request.save(&folder.request())?;
    if !args.quiet {
        introduction::tell(printer, root, &prepared.request.model);
    }
    let person = AttendedBy {
        quiet: args.quiet,
        json: args.json,
        signing,
    };
    attended_run::carry(program, printer, folder, prepared.request, person).await
}
