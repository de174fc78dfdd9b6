//! The table of a batch.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::cli::text_table::TextTable;
use crate::domain::doubt::DoubtCause;
use crate::domain::format;
use crate::domain::usage::{MicroDollars, Usage};
use crate::domain::verdict::Outcome;

/// Prints the runs and what they came to together.
///
/// # Errors
/// Rows that JSON cannot hold.
pub fn tell(printer: Printer, json: bool, rows: &[RunRow]) -> Result<(), Failure> {
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
            row.verdict.map_or("–", Outcome::words).to_owned(),
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
fn open(rows: &[RunRow]) -> Option<String> {
    let mut counts: BTreeMap<Option<DoubtCause>, usize> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.verdict == Some(Outcome::Inconclusive))
    {
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn row(verdict: Outcome, cause: Option<DoubtCause>) -> RunRow {
        RunRow {
            verdict: Some(verdict),
            cause,
            ..RunRow::unfinished("slope".to_owned(), PathBuf::new(), Status::Done, None)
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
