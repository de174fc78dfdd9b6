//! `reprise score summary`.

use serde::Serialize;
use serde_json::Value;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, styled};
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::graded_folder::{Arithmetic, GradedFolder, folders, sum_up};
use crate::grading::discovery::parallel_map::parallel_map;

use super::args::{SummaryArgs, SummaryMode};
use super::averages;
use crate::cli::text_table::{TextTable, percent_or_dash};

/// The stages of a summary, as the tables name them.
const STAGES: [&str; 5] = [
    "extract",
    "design",
    "execute_design",
    "execute_execute",
    "interpret",
];

/// All of them, as they are printed.
#[derive(Serialize)]
struct Printed<'a> {
    format: &'static str,
    mode: &'static str,
    gradings: &'a [GradedFolder],
    groups: Vec<Value>,
}

/// Sums up gradings that a judge has written.
///
/// # Errors
/// A folder without gradings.
pub fn summary(printer: Printer, args: &SummaryArgs) -> Result<Status, Failure> {
    let arithmetic = match args.mode {
        SummaryMode::Compat => Arithmetic::Released,
        SummaryMode::Corrected => Arithmetic::Corrected,
    };
    let graded = parallel_map(&folders(&args.dir)?, |folder| {
        sum_up(&args.dir, folder, arithmetic)
    });
    let graded = graded
        .into_iter()
        .collect::<Result<Vec<GradedFolder>, DiscoveryError>>()?;
    let stale = graded
        .iter()
        .filter(|one| one.stale.as_ref().is_some_and(|all| !all.is_empty()));
    let stale = stale.count();
    if args.json {
        printer.json(&Printed {
            format: "reprise-score-summary/1",
            mode: match args.mode {
                SummaryMode::Compat => "compat",
                SummaryMode::Corrected => "corrected",
            },
            gradings: &graded,
            groups: averages::as_json(&graded),
        })?;
    } else {
        for line in lines(&graded) {
            printer.line(line);
        }
    }
    Ok(if stale > 0 { Status::Differs } else { Status::Done })
}

fn lines(graded: &[GradedFolder]) -> Vec<String> {
    let mut table = TextTable::new([
        "grading",
        "extract",
        "design",
        "exec. design",
        "exec. run",
        "interpret",
    ]);
    for one in graded {
        let scores = STAGES.map(|stage| percent_or_dash(one.summary.score(stage)));
        table.row([one.folder.clone()].into_iter().chain(scores));
    }
    let mut lines = table.lines();
    for one in graded {
        let folder = styled(paint::STRONG, &one.folder);
        for problem in &one.summary.problems {
            lines.push(format!("{folder}: {problem}"));
        }
        for change in &one.summary.changes {
            lines.push(format!("{folder}: {change}"));
        }
        for difference in one.stale.iter().flatten() {
            lines.push(format!("{folder}: {} {difference}", styled(paint::BAD, "stale:")));
        }
    }
    let stored = graded.iter().filter(|one| one.stale.is_some()).count();
    let same = graded
        .iter()
        .filter(|one| one.stale.as_ref().is_some_and(Vec::is_empty))
        .count();
    lines.push(format!(
        "{same} of {stored} stored summaries are what their gradings give (within 1e-12)."
    ));
    lines.extend(averages::lines(graded));
    lines
}
