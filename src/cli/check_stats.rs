//! `reprise check stats`.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::analysis::consistency::{ConsistencyCheck, check_paper};
use crate::analysis::statistics_table::parse;
use crate::analysis::statistics_table::row::StatisticsRow;
use crate::documents::kind::Kind;
use crate::documents::sniff::sniff;
use crate::documents::text;
use crate::settings::Settings;
use crate::verdict::coherence::row::{self, Fit, RowCheck};

use super::data;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};

/// The largest table that is read, in bytes.
const LARGEST: u64 = 64 << 20;

#[derive(Debug, Args)]
#[command(after_help = "\
FILE is a table with a header (commas, semicolons or tabs), a table as a program prints it, a results.jsonl, or a \
paper (PDF, Word), in whose text statistics are checked. Columns that are read: term, estimate, se, statistic, kind \
(t, z, F, chi2, r), df (1;204 for F), p (.03, <.001), sides (1, 2), lower, upper, level, n, scale (difference, ratio, \
log_ratio, correlation, standardized, unsigned), and the names that broom, Stata, statsmodels, R and SPSS give them. \
Any may be missing.

A row fits if some values that round to its numbers go together. The exit code is 0 if every row fits, and 1 if one \
does not, was not read, or fits only as one-sided without saying so.

Examples:
  reprise check stats table2.csv
  reprise check stats RUN/workspace/work/results.jsonl --json
  cut -f1-6 table.tsv | reprise check stats -")]
pub struct CheckStatsArgs {
    /// The table; `-` reads standard input.
    pub file: PathBuf,
    /// The level at which a contradiction is said to decide.
    #[arg(long, default_value_t = 0.05)]
    pub level: f64,
    /// Print the rows as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Says of each row of a table whether its numbers go together.
///
/// # Errors
/// A level that is none, or a table that cannot be read.
pub fn check_stats(settings: &Settings, printer: Printer, args: &CheckStatsArgs) -> Result<Status, Failure> {
    if !(args.level > 0.0 && args.level < 0.5) {
        return Err(Failure::usage(format!(
            "--level {} is no significance level: give one above 0 and below 0.5, such as 0.05",
            args.level
        )));
    }
    let name = if args.file == Path::new("-") {
        "standard input".to_owned()
    } else {
        args.file.display().to_string()
    };
    let bytes = read(&args.file, &name)?;
    if matches!(sniff(&bytes), Kind::Pdf | Kind::Docx | Kind::Html) {
        let document = data::read(settings, printer, &args.file, false)?;
        return paper(printer, args, &name, &check_paper(&document));
    }
    let table = parse::parse(&text::decode(&bytes).text)
        .map_err(|fault| Failure::usage(format!("{name}: {fault}")))?;
    let checked: Vec<(&StatisticsRow, RowCheck)> = table
        .rows
        .iter()
        .map(|row| (row, row::check(&row.finding, &row.printed, args.level)))
        .collect();
    let count = |fit| checked.iter().filter(|(_, check)| check.fit == fit).count();
    let (wrong, one_sided) = (count(Fit::DoesNotFit), count(Fit::OnlyOneSided));
    if args.json {
        printer.json(&json!({
            "format": "reprise-check-stats/1",
            "file": name,
            "level": args.level,
            "rows": checked.iter().map(|(row, check)| json!({
                "line": row.line,
                "term": row.finding.name,
                "fit": check.fit,
                "misfits": check.misfits,
            })).collect::<Vec<_>>(),
            "unread": table.unread.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "unknown_columns": table.unknown,
            "summary": {
                "rows": checked.len(),
                "fit": count(Fit::Fits),
                "do_not_fit": wrong,
                "only_one_sided": one_sided,
                "nothing_to_compare": count(Fit::NothingToCompare),
            },
        }))?;
    } else {
        let width = checked
            .iter()
            .map(|(row, _)| row.finding.name.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        for (row, check) in &checked {
            printer.line(line(row, check, width, args.level));
        }
        for fault in &table.unread {
            printer.line(format!(
                "{} {}",
                styled(paint::WARN, "not read:"),
                printable(&fault.to_string())
            ));
        }
        if !table.unknown.is_empty() {
            printer.line(format!(
                "columns that are not known: {}",
                printable(&table.unknown.join(", "))
            ));
        }
        printer.line(format!(
            "{} rows: {} fit, {wrong} do not fit, {one_sided} fit only as one-sided, {} with nothing to compare",
            checked.len(),
            count(Fit::Fits),
            count(Fit::NothingToCompare)
        ));
    }
    Ok(if wrong + one_sided + table.unread.len() == 0 {
        Status::Done
    } else {
        Status::Differs
    })
}

/// Prints the statistics of a paper's text that do not fit together.
fn paper(
    printer: Printer,
    args: &CheckStatsArgs,
    name: &str,
    checked: &ConsistencyCheck,
) -> Result<Status, Failure> {
    if args.json {
        printer.json(&json!({
            "format": "reprise-check-stats/1",
            "file": name,
            "passages": checked.passages,
            "flags": checked.flags,
        }))?;
    } else {
        for flag in &checked.flags {
            printer.line(format!(
                "{}: {}: {} {}",
                printable(&flag.source),
                printable(&flag.passage),
                styled(paint::BAD, Fit::DoesNotFit.words()),
                printable(&flag.detail)
            ));
        }
        printer.line(format!(
            "{} passages with numbers to compare, {} of them do not fit; tables of a paper are not read",
            checked.passages,
            checked.flags.len()
        ));
    }
    Ok(if checked.flags.is_empty() {
        Status::Done
    } else {
        Status::Differs
    })
}

fn line(row: &StatisticsRow, check: &RowCheck, width: usize, level: f64) -> String {
    let style = match check.fit {
        Fit::Fits => paint::GOOD,
        Fit::OnlyOneSided => paint::WARN,
        Fit::DoesNotFit => paint::BAD,
        Fit::NothingToCompare => paint::FAINT,
    };
    let misfits: Vec<String> = check
        .misfits
        .iter()
        .map(|doubt| {
            let decides = if doubt.decides {
                format!(" (significance at {level} hangs on it)")
            } else {
                String::new()
            };
            format!("{}{decides}", printable(&doubt.detail))
        })
        .collect();
    let mark = if misfits.is_empty() { "" } else { ": " };
    format!(
        "line {:<4} {:<width$}  {}{mark}{}",
        row.line,
        printable(&row.finding.name).replace('\n', " "),
        styled(style, check.fit.words()),
        misfits.join(" ")
    )
}

fn read(file: &Path, name: &str) -> Result<Vec<u8>, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!(
            "{name} cannot be read ({error}): name a table, or `-` for standard input"
        ))
    };
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    } else {
        fs::File::open(file)
            .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::usage(format!(
            "{name} is larger than {} MB: split it",
            LARGEST >> 20
        )));
    }
    Ok(bytes)
}
