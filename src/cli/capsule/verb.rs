//! `reprise capsule`.

use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

use super::args::{CapsuleArgs, CapsuleVerb};
use super::{baseline, check, export, fetch, grade, list, make, report, run, serve};

/// Does what is asked of capsules.
///
/// # Errors
/// Those of the verb that is asked for.
pub async fn capsule(program: &Program, printer: Printer, args: CapsuleArgs) -> Result<Status, Failure> {
    match args.verb {
        CapsuleVerb::List(args) => list::list(printer, &args),
        CapsuleVerb::Check(args) => check::check(printer, &args),
        CapsuleVerb::Baseline(args) => baseline::baseline(printer, &args),
        CapsuleVerb::Run(args) => run::run(program, printer, *args).await,
        CapsuleVerb::Make(args) => make::make(program, printer, *args).await,
        CapsuleVerb::Serve(args) => serve::serve(program, printer, *args).await,
        CapsuleVerb::Report(args) => report::report(printer, &args),
        CapsuleVerb::Grade(args) => grade::grade(printer, &args),
        CapsuleVerb::Export(args) => export::export(program, printer, &args),
        CapsuleVerb::Fetch(args) => fetch::fetch(printer, &args).await,
    }
}
