//! `reprise score uplift`.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::analysis::uplift::estimate::{Uplift, uplift as estimate};
use crate::analysis::uplift::session::WorkSession;
use crate::verdict::figure::{figure, p_exact};

use super::column_table::{ColumnError, ColumnTable};
use super::exit::{Failure, Status};
use super::output::{Printer, printable};

/// The largest table, in bytes, and the most rows: each cluster's matrix is decomposed.
const LARGEST: u64 = 64 << 20;
const MOST: usize = 2_000;

#[derive(Debug, Args)]
#[command(after_help = "\
FILE has a row for each person's work on one paper. Its columns are found by their names, in any case: minutes (or the \
only one that holds `minutes` or `duration`), condition, paper (or the only one that holds it), researcher (or \
`evaluator`); the options name others.

The ratio of minutes is estimated by least squares on log minutes with dummies of papers and researchers; errors are \
CR2, clustered by researcher and by paper, with Satterthwaite's degrees of freedom, as in R's clubSandwich.

Examples:
  reprise score uplift times.csv
  reprise score uplift times.csv --reference AI-assisted --researcher evaluator --json")]
pub struct UpliftArgs {
    /// The table, as CSV with a header.
    pub file: PathBuf,
    /// The column of minutes.
    #[arg(long, value_name = "COLUMN")]
    pub minutes: Option<String>,
    /// The column that says with or without an agent.
    #[arg(long, value_name = "COLUMN")]
    pub condition: Option<String>,
    /// The column of papers.
    #[arg(long, value_name = "COLUMN")]
    pub paper: Option<String>,
    /// The column of persons.
    #[arg(long, value_name = "COLUMN")]
    pub researcher: Option<String>,
    /// The condition that the other is held against [default: the first in the alphabet]
    #[arg(long, value_name = "VALUE")]
    pub reference: Option<String>,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Says by how much minutes differ between two conditions.
///
/// # Errors
/// A table that cannot be read, or in which the difference cannot be told.
pub fn uplift(printer: Printer, args: &UpliftArgs) -> Result<Status, Failure> {
    let unusable = |error: String| Failure::usage(format!("{}: {error}", args.file.display()));
    let table = read(args).map_err(unusable)?;
    // Said before an error that may come of it.
    if !table.left_out.is_empty() && !args.json {
        let lines: Vec<String> = table.left_out.iter().map(ToString::to_string).collect();
        printer.note(format!("left out, without minutes: line {}", lines.join(", ")));
    }
    let found =
        estimate(&table.sessions, args.reference.as_deref()).map_err(|error| unusable(error.to_string()))?;
    if args.json {
        printer.json(&json!({
            "format": "reprise-uplift/1",
            "file": args.file,
            "left_out": table.left_out,
            "uplift": found,
        }))?;
        return Ok(Status::Done);
    }
    tell(printer, &found);
    Ok(Status::Done)
}

fn tell(printer: Printer, found: &Uplift) {
    printer.line(printable(&format!(
        "{} against {}: {} times the minutes (log ratio {})",
        found.condition,
        found.reference,
        figure(found.ratio),
        figure(found.log_ratio)
    )));
    printer.line(format!(
        "{} rows, {} papers, {} researchers, {} coefficients",
        found.rows, found.papers, found.researchers, found.coefficients
    ));
    for error in &found.errors {
        let interval = error.ratio_interval.map_or_else(String::new, |interval| {
            format!(
                "; ratio {} to {} (95 %)",
                figure(interval.lower),
                figure(interval.upper)
            )
        });
        printer.line(format!(
            "by {} ({}): SE {}, t {} on {} degrees of freedom, p {}{interval}",
            error.clusters.word(),
            error.count,
            figure(error.standard_error),
            figure(error.t),
            figure(error.df),
            p_exact(error.p_value)
        ));
    }
}

/// Sessions, and the lines of rows without a time.
struct TimeTable {
    sessions: Vec<WorkSession>,
    left_out: Vec<usize>,
}

fn read(args: &UpliftArgs) -> Result<TimeTable, String> {
    let told = |error: ColumnError| error.to_string();
    let opened = ColumnTable::open(&args.file, LARGEST).map_err(told)?;
    let columns = Columns::new(&opened, args)?;
    let mut table = TimeTable {
        sessions: Vec::new(),
        left_out: Vec::new(),
    };
    for row in opened.rows() {
        let row = row.map_err(told)?;
        let line = row.line;
        if row.is_blank() {
            continue;
        }
        let text = row.field(columns.minutes).trim();
        if text.is_empty() {
            table.left_out.push(line);
            continue;
        }
        let minutes = text.parse::<f64>().ok();
        let minutes = minutes.filter(|minutes| minutes.is_finite() && *minutes > 0.0);
        let minutes = minutes.ok_or_else(|| {
            format!(
                "line {line}: `{text}` is no positive number of minutes; correct it, or leave the cell empty"
            )
        })?;
        let text = |at: usize, name: &str| match row.field(at) {
            "" => Err(format!("line {line} has no {name}")),
            text => Ok(text.to_owned()),
        };
        table.sessions.push(WorkSession {
            line,
            minutes,
            condition: text(columns.condition, "condition")?,
            paper: text(columns.paper, "paper")?,
            researcher: text(columns.researcher, "researcher")?,
        });
        if table.sessions.len() > MOST {
            return Err(format!(
                "it has more than {MOST} rows: no time study that this is made for has"
            ));
        }
    }
    Ok(table)
}

struct Columns {
    minutes: usize,
    condition: usize,
    paper: usize,
    researcher: usize,
}

impl Columns {
    fn new(table: &ColumnTable, args: &UpliftArgs) -> Result<Self, String> {
        let lower: Vec<String> = table.header.iter().map(|name| name.to_lowercase()).collect();
        let find = |option: &'static str, named: Option<&String>, exact: &[&str], parts: &[&str]| {
            if let Some(name) = named {
                return table.named(option, name).map_err(|error| error.to_string());
            }
            let same: Vec<usize> = (0..lower.len())
                .filter(|at| exact.contains(&lower[*at].as_str()))
                .collect();
            let holding = || {
                let holds = |at: &usize| parts.iter().any(|part| lower[*at].contains(part));
                (0..lower.len()).filter(holds).collect::<Vec<usize>>()
            };
            let found = if same.is_empty() { holding() } else { same };
            match found[..] {
                [one] => Ok(one),
                [] => Err(format!(
                    "it has no column of the {option}: name one with --{option}"
                )),
                _ => Err(format!(
                    "{} columns may be that of the {option}: name one with --{option}",
                    found.len()
                )),
            }
        };
        let found = Self {
            minutes: find(
                "minutes",
                args.minutes.as_ref(),
                &["minutes"],
                &["minutes", "duration"],
            )?,
            condition: find(
                "condition",
                args.condition.as_ref(),
                &["condition"],
                &["condition"],
            )?,
            paper: find("paper", args.paper.as_ref(), &["paper"], &["paper"])?,
            researcher: find(
                "researcher",
                args.researcher.as_ref(),
                &["researcher", "evaluator"],
                &["researcher", "evaluator"],
            )?,
        };
        let used = HashSet::from([found.minutes, found.condition, found.paper, found.researcher]);
        if used.len() < 4 {
            return Err(format!(
                "one column would be several of minutes, condition, paper and researcher: its header is `{}`. Columns are \
                 separated by commas; name each with --minutes, --condition, --paper and --researcher",
                table.header.join(",")
            ));
        }
        Ok(found)
    }
}
