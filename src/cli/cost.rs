//! `reprise show cost`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::domain::format;
use crate::domain::stage::Stage;
use crate::domain::usage::MicroDollars;
use crate::engine::run_reader::RunReader;
use crate::engine::runs;
use crate::model::name::{CLIENT, UNMETERED};
use crate::report::money;
use crate::report::spending::Spending;
use crate::report::timeline::{between, times};

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::run_folder;
use super::text_table::TextTable;

#[derive(Debug, Args)]
#[command(after_help = "\
Tokens are the provider's own count, or an estimate where it gave none; money is what they cost at the \
prices that the run was made with, or at those of the table of models where the run holds none. Working is the time of calls without the waits between attempts.

Examples:
  reprise show cost RUN
  reprise show cost runs/*
  reprise show cost runs/* --stages
  reprise show cost bench --json")]
pub struct CostArgs {
    /// The runs' folders, or folders that hold runs.
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// Of several runs, show each stage; else each run has one row.
    #[arg(long)]
    pub stages: bool,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A stage or a run, and what its model calls came to.
#[derive(Debug, Serialize)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Stage>,
    /// From its beginning to its end, or to the journal's last event.
    wall_ms: u64,
    #[serde(flatten)]
    spending: Spending,
    cached_share: Option<f64>,
}

/// One run.
#[derive(Debug, Serialize)]
struct Run {
    run: String,
    folder: String,
    model: String,
    /// True where the run holds no price of its own for some call.
    table_prices: bool,
    stages: Vec<Line>,
    total: Line,
}

/// Prints what runs came to, by stage, by run and in all.
///
/// # Errors
/// A run that cannot be read.
pub fn cost(printer: Printer, args: &CostArgs) -> Result<Status, Failure> {
    let runs: Vec<Run> = runs::opened(&args.dirs)?.iter().map(run).collect();
    let total = together(&runs);
    if args.json {
        printer.json(&serde_json::json!({ "runs": runs, "total": total }))?;
        return Ok(Status::Done);
    }
    if runs.len() > 1 && !args.stages {
        return Ok(one_row_a_run(printer, &runs, &total));
    }
    for run in &runs {
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, printable(&run.run)),
            printable(&run.model)
        ));
        show(printer, run.stages.iter().chain([&run.total]), &run.total);
        if run.model == CLIENT {
            printer.line(format!("  The run is {UNMETERED}."));
        }
        if run.table_prices {
            printer.line(
                "  The run does not hold the prices that it was made with: the cost is at those of this program's table.",
            );
        }
    }
    if runs.len() > 1 {
        printer.line(styled(paint::STRONG, format!("{} runs", runs.len())));
        show(printer, [&total], &total);
    }
    Ok(Status::Done)
}

fn run(run: &RunReader) -> Run {
    let times = times(&run.records);
    let stages: Vec<Line> = run
        .state
        .stages
        .iter()
        .map(|(stage, state)| {
            let wall = times
                .get(stage)
                .and_then(|time| Some((time.spans.first()?, time.spans.last()?)));
            let wall_ms = wall.map_or(0, |(first, last)| last.to_ms.saturating_sub(first.from_ms));
            let spending = Spending::from_stage(state);
            let money = money::money(run, [state]);
            Line::new(Some(*stage), wall_ms, spending.costing(money))
        })
        .collect();
    let whole = Spending::sum(stages.iter().map(|line| line.spending));
    let money = money::money(run, run.state.stages.values());
    let ends = run.records.first().zip(run.records.last());
    let wall_ms = ends.map_or(0, |(first, last)| between(first.at, last.at));
    let started = run.state.started.as_ref();
    Run {
        run: run.request.run.to_string(),
        folder: run.folder.path().display().to_string(),
        model: started.map_or_else(
            || run.request.model.clone(),
            |started| started.settings.model.clone(),
        ),
        table_prices: money::is_by_table(run),
        stages,
        total: Line::new(None, wall_ms, whole.costing(money)),
    }
}

/// All runs; their money is unknown where that of any of them is.
fn together(runs: &[Run]) -> Line {
    let whole = Spending::sum(runs.iter().map(|run| run.total.spending));
    let money = runs.iter().map(|run| run.total.spending.money);
    let money = money.sum::<Option<MicroDollars>>();
    let wall_ms = runs.iter().map(|run| run.total.wall_ms).sum();
    Line::new(None, wall_ms, whole.costing(money))
}

impl Line {
    fn new(stage: Option<Stage>, wall_ms: u64, spending: Spending) -> Self {
        Self {
            stage,
            wall_ms,
            cached_share: spending.cached_share(),
            spending,
        }
    }
}

fn show<'a>(printer: Printer, lines: impl IntoIterator<Item = &'a Line>, whole: &Line) {
    let lines = lines.into_iter().map(|line| {
        let name = line
            .stage
            .map_or_else(|| "total".to_owned(), |stage| stage.to_string());
        (name, line)
    });
    show_rows(printer, lines, whole);
}

/// Prints one row for each run, and their sum.
fn one_row_a_run(printer: Printer, runs: &[Run], total: &Line) -> Status {
    let rows = runs
        .iter()
        .map(|run| (printable(&run_folder::shown(Path::new(&run.folder))), &run.total));
    show_rows(
        printer,
        rows.chain([(format::counted(runs.len(), "run", "runs"), total)]),
        total,
    );
    let unmetered = runs.iter().filter(|run| run.model == CLIENT).count();
    if unmetered > 0 {
        printer.line(format!(
            "  {} of them {UNMETERED}.",
            format::counted(unmetered, "run is", "runs are")
        ));
    }
    if runs.iter().any(|run| run.table_prices) {
        printer.line("  Some runs do not hold the prices that they were made with: their cost is at those of this program's table.");
    }
    Status::Done
}

/// Prints named rows; the last is the sum of the others.
fn show_rows<'a>(printer: Printer, lines: impl IntoIterator<Item = (String, &'a Line)>, whole: &Line) {
    let mut table = TextTable::new([
        "",
        "calls",
        "input",
        "cached",
        "",
        "output",
        "reasoning",
        "cost",
        "wall",
        "working",
        "waiting",
        "retries",
        "",
    ]);
    let (mut uncounted, mut estimated, mut without_fee) = (0, 0, 0);
    for (name, line) in lines {
        let spending = &line.spending;
        let usage = spending.usage;
        let is_part = !std::ptr::eq(line, whole);
        table.row([
            name,
            format::count(spending.calls),
            format::count(usage.input),
            format::count(usage.cached),
            line.cached_share
                .map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", 100.0 * share)),
            format::count(usage.output),
            format::count(usage.reasoning),
            spending
                .money
                .map_or_else(|| "unknown".to_owned(), |money| money.to_string()),
            format::duration(line.wall_ms),
            format::duration(spending.working_ms),
            format::duration(spending.waiting_ms),
            format::count(spending.retries),
            if is_part { bar(line, whole) } else { String::new() },
        ]);
        (uncounted, without_fee) = (spending.uncounted, spending.searches_without_fee);
        estimated = usage.estimated;
    }
    for line in table.lines() {
        printer.line(format!("  {line}"));
    }
    if uncounted > 0 {
        printer.line(format!(
            "  The tokens of {uncounted} calls were not counted by the provider, and are missing here."
        ));
    }
    if estimated > 0 {
        printer.line(format!(
            "  {} of these tokens are estimates, since the provider did not count them.",
            format::count(estimated)
        ));
    }
    if without_fee > 0 {
        printer.line(format!(
            "  What the provider charges for {} beside the tokens is not known, and is missing here.",
            format::counted(without_fee, "hosted search", "hosted searches")
        ));
    }
}

/// The stage's share of all tokens, as a bar of at most twelve cells.
fn bar(line: &Line, whole: &Line) -> String {
    let all = whole.spending.usage.total();
    if all == 0 {
        return String::new();
    }
    let cells = (line.spending.usage.total() as f64 / all as f64 * 12.0).round() as usize;
    format!("{:<12}", "█".repeat(cells))
}
