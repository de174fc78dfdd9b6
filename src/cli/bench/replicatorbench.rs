//! `reprise bench replicatorbench`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, printable};
use crate::cli::text_table::TextTable;
use crate::grading::comparison::published_tables::{TableCell, tables};

#[derive(Debug, Args)]
#[command(after_help = "\
DIR is the `data` folder of ReplicatorBench, or one that holds its `results/` and `web-search/`. Stages and failures are \
by the released arithmetic and rules, outcomes by the labels and readings that reprise ships; `reprise score` gives the \
corrected figures. The printed figures of Table 2's extract and interpret come out of no released file: `no file` marks them \
(`unreleased` in --json). Of its other stages four further cells differ, all files given; Table 5 is of an older commit.

Examples:
  reprise bench replicatorbench llm-benchmarking/data
  reprise bench replicatorbench data --json")]
pub struct ReplicatorBenchArgs {
    /// The folder of the released files.
    pub dir: PathBuf,
    /// Print the cells as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Prints what released files yield beside what the paper prints.
///
/// # Errors
/// A path that is no folder, or a folder that yields no cell.
pub fn replicatorbench(printer: Printer, args: &ReplicatorBenchArgs) -> Result<Status, Failure> {
    let place = args.dir.display();
    if !args.dir.is_dir() {
        return Err(Failure::usage(format!(
            "{place} is not a folder: name one with results/ and web-search/"
        )));
    }
    let found = tables(&args.dir);
    if found.cells.is_empty() {
        return Err(Failure::usage(format!(
            "{place} yields no cell of the paper's tables: {}",
            found.lacks.join("; ")
        )));
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-bench-replicatorbench/1",
            "cells": found.cells,
            "lacks": found.lacks,
        }))?;
        return Ok(Status::Done);
    }
    let mut shown =
        TextTable::new(["table", "model", "figure", "ours", "n", "paper", "same"]).with_text_columns(3);
    for cell in &found.cells {
        shown.row([
            cell.table.to_string(),
            cell.model.clone(),
            cell.figure.clone(),
            cell.ours
                .map_or_else(|| "–".to_owned(), |ours| printed(cell, ours)),
            cell.n.to_string(),
            printed(cell, cell.paper),
            match (cell.same, cell.unreleased) {
                (true, _) => "yes",
                (false, true) => "no file",
                (false, false) => "no",
            }
            .to_owned(),
        ]);
    }
    for line in shown.lines() {
        printer.line(line);
    }
    let same = found.cells.iter().filter(|cell| cell.same).count();
    printer.line(format!(
        "{same} of {} cells are the same in every digit",
        found.cells.len()
    ));
    let unreleased = found.cells.iter().filter(|cell| cell.unreleased && !cell.same);
    let unreleased = unreleased.count();
    if unreleased > 0 {
        printer.line(format!(
            "no file: {unreleased} cells (extract and interpret of Table 2) whose printed figure no released file yields"
        ));
    }
    for lack in &found.lacks {
        printer.line(printable(&format!("lacks: {lack}")));
    }
    Ok(Status::Done)
}

fn printed(cell: &TableCell, value: f64) -> String {
    match cell.table {
        5 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}
