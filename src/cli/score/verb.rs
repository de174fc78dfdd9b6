//! Which comparison is asked for.

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

use super::args::{ScoreArgs, ScoreVerb};
use super::{agreement, failures, outcome, search, summary};

/// Compares what agents did with references.
pub async fn score(printer: Printer, args: ScoreArgs) -> Result<Status, Failure> {
    match &args.what {
        ScoreVerb::Search(args) => search::search(printer, args),
        ScoreVerb::Summary(args) => summary::summary(printer, args),
        ScoreVerb::Failures(args) => failures::failures(printer, args),
        ScoreVerb::Outcome(args) => outcome::outcome(printer, args),
        ScoreVerb::Agreement(args) => agreement::agreement(printer, args),
    }
}
