//! The results of a batch, run by run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::text_table::TextTable;
use crate::domain::doubt::DoubtCause;
use crate::domain::format;
use crate::domain::usage::{MicroDollars, Usage};
use crate::domain::verdict::Outcome;
use crate::engine::run_reader::RunReader;
use crate::report::money;
use crate::run::decide;
use crate::run::elapsed::Clocks;

/// The result of one study.
#[derive(Debug, Serialize)]
pub struct StudyRow {
    study: String,
    folder: PathBuf,
    status: &'static str,
    exit_code: u8,
    /// True if it had been finished before this process.
    passed_over: bool,
    verdict: Option<String>,
    /// Why the verdict is left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<DoubtCause>,
    /// The cause that stopped or failed it.
    detail: Option<String>,
    usage: Usage,
    money: Option<MicroDollars>,
    clocks: Clocks,
}

impl StudyRow {
    /// The row of a run that could be read.
    pub fn new(study: String, folder: PathBuf, run: &RunReader, status: Status, passed_over: bool) -> Self {
        let state = &run.state;
        Self {
            study,
            folder,
            status: status.meaning(),
            exit_code: status.code(),
            passed_over,
            verdict: state.verdict.as_ref().map(|verdict| verdict.outcome.to_string()),
            cause: state.verdict.as_ref().and_then(|verdict| verdict.cause),
            detail: decide::failed_stage(state)
                .map(|failed| format!("{} ({}): {}", failed.stage, failed.cause, failed.detail)),
            usage: state.usage(),
            money: money::money(run, state.stages.values()),
            clocks: state.elapsed.clocks(),
        }
    }

    /// The row of a run that did not get far enough to be read.
    pub fn unfinished(study: String, folder: PathBuf, status: Status, detail: Option<String>) -> Self {
        Self {
            study,
            folder,
            status: status.meaning(),
            exit_code: status.code(),
            passed_over: false,
            verdict: None,
            cause: None,
            detail,
            usage: Usage::default(),
            money: None,
            clocks: Clocks::default(),
        }
    }
}

/// Prints the runs and what they came to together.
///
/// # Errors
/// Rows that JSON cannot hold.
pub fn tell(printer: Printer, json: bool, rows: &[StudyRow]) -> Result<(), Failure> {
    let usage = rows.iter().fold(Usage::default(), |sum, row| sum + row.usage);
    let money: Option<MicroDollars> = (rows.iter().filter(|row| row.usage != Usage::default()))
        .map(|row| row.money)
        .sum();
    if json {
        return printer
            .json(&serde_json::json!({ "runs": rows, "total": { "usage": usage, "money": money } }));
    }
    let mut table = TextTable::new(["study", "status", "verdict", "tokens", "cost", "time"]);
    let cost =
        |money: Option<MicroDollars>| money.map_or_else(|| "unknown".to_owned(), |money| money.to_string());
    for row in rows {
        table.row([
            printable(&row.study),
            if row.passed_over {
                format!("{} (before)", row.status)
            } else {
                row.status.to_owned()
            },
            row.verdict.clone().unwrap_or_else(|| "–".to_owned()),
            format::count(row.usage.total()),
            cost(row.money),
            format::duration(row.clocks.wall_ms),
        ]);
    }
    table.row([
        "total".to_owned(),
        format!("{} runs", rows.len()),
        String::new(),
        format::count(usage.total()),
        cost(money),
        String::new(),
    ]);
    for line in table.lines() {
        printer.line(line);
    }
    if let Some(open) = open(rows) {
        printer.line(open);
    }
    for row in rows {
        if let Some(detail) = &row.detail {
            printer.line(format!(
                "{}: {}",
                styled(paint::STRONG, printable(&row.study)),
                printable(detail)
            ));
        }
    }
    if rows
        .iter()
        .any(|row| row.exit_code == Status::AwaitingApproval.code())
    {
        printer.line("`reprise approve` answers what a run waits on; the same batch then goes on.");
    }
    Ok(())
}

/// The inconclusive runs by cause, the most common first; `None` where there are none.
fn open(rows: &[StudyRow]) -> Option<String> {
    let mut counts: BTreeMap<Option<DoubtCause>, usize> = BTreeMap::new();
    let inconclusive = Some(Outcome::Inconclusive.words());
    for row in rows.iter().filter(|row| row.verdict.as_deref() == inconclusive) {
        *counts.entry(row.cause).or_default() += 1;
    }
    if counts.is_empty() {
        return None;
    }
    let total: usize = counts.values().sum();
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(cause, count)| (Reverse(*count), cause.is_none()));
    let named: Vec<String> = counts
        .iter()
        .map(|(cause, count)| {
            let words = cause.map_or("no cause named", DoubtCause::words);
            format!("{words} {count}")
        })
        .collect();
    Some(format!("inconclusive: {total} ({})", named.join(", ")))
}

/// The status of the batch as a whole: the one that most needs somebody to act.
pub fn gravest(rows: &[StudyRow]) -> Status {
    const GRAVITY: [Status; 8] = [
        Status::Interrupted,
        Status::Infrastructure,
        Status::Usage,
        Status::Limit,
        Status::AwaitingApproval,
        Status::StudyInvalid,
        Status::StageFailed,
        Status::Differs,
    ];
    GRAVITY
        .into_iter()
        .find(|status| rows.iter().any(|row| row.exit_code == status.code()))
        .unwrap_or(Status::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(verdict: Outcome, cause: Option<DoubtCause>) -> StudyRow {
        StudyRow {
            verdict: Some(verdict.to_string()),
            cause,
            ..StudyRow::unfinished("slope".to_owned(), PathBuf::new(), Status::Done, None)
        }
    }

    #[test]
    fn a_row_names_the_cause_of_an_open_verdict() {
        let open = row(Outcome::Inconclusive, Some(DoubtCause::NotFromData));
        let printed = serde_json::to_value(&open).unwrap();
        assert_eq!(printed["cause"], "not_from_data");
        let printed = serde_json::to_value(row(Outcome::Met, None)).unwrap();
        assert_eq!(printed.get("cause"), None);
    }

    #[test]
    fn inconclusive_runs_are_counted_by_cause() {
        let rows = [
            row(Outcome::Inconclusive, Some(DoubtCause::Missing)),
            row(Outcome::Met, None),
            row(Outcome::Inconclusive, Some(DoubtCause::NotFromData)),
            row(Outcome::Inconclusive, None),
            row(Outcome::Inconclusive, Some(DoubtCause::NotFromData)),
        ];
        assert_eq!(
            open(&rows).unwrap(),
            "inconclusive: 4 (not from the data 2, a number is missing 1, no cause named 1)"
        );
        assert_eq!(open(&rows[1..2]), None);
    }
}
