//! `reprise notebook`.

use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

use super::args::{NotebookArgs, NotebookVerb};
use super::{check, export, grade, list, make, run};

/// Does what is asked of notebook tasks.
///
/// # Errors
/// Those of the verb that is asked for.
pub async fn notebook(program: &Program, printer: Printer, args: NotebookArgs) -> Result<Status, Failure> {
    match args.verb {
        NotebookVerb::List(args) => list::list(printer, &args),
        NotebookVerb::Check(args) => check::check(printer, &args),
        NotebookVerb::Run(args) => run::run(program, printer, *args).await,
        NotebookVerb::Make(args) => make::verb::make(program, printer, &args).await,
        NotebookVerb::Grade(args) => grade::grade(printer, &args),
        NotebookVerb::Export(args) => export::export(printer, &args),
    }
}
