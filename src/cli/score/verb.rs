//! `reprise score`: the comparison that is asked for.

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::{audit, review, uplift};
use crate::settings::Settings;

use super::args::{ScoreArgs, ScoreVerb};
use super::{agreement, failures, outcome, runs, search, sheet, summary};

/// Compares what agents did with references.
///
/// # Errors
/// Those of the comparison that is asked for.
pub async fn score(settings: &Settings, printer: Printer, args: ScoreArgs) -> Result<Status, Failure> {
    match &args.what {
        None => runs::runs(settings, printer, &args.runs).await,
        Some(ScoreVerb::Search(args)) => search::search(printer, args),
        Some(ScoreVerb::Summary(args)) => summary::summary(printer, args),
        Some(ScoreVerb::Failures(args)) => failures::failures(printer, args),
        Some(ScoreVerb::Outcome(args)) => outcome::outcome(printer, args),
        Some(ScoreVerb::Agreement(args)) => agreement::agreement(printer, args),
        Some(ScoreVerb::Sheet(args)) => sheet::sheet(printer, args),
        Some(ScoreVerb::Audit(args)) => audit::audit_runs(printer, args),
        Some(ScoreVerb::Review(args)) => review::review(settings, printer, args).await,
        Some(ScoreVerb::Uplift(args)) => uplift::uplift(printer, args),
    }
}
