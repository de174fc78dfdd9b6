//! `reprise bench merge`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::analysis::bench::cell::BenchCell;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
OUT gets one bench.json, one cells.jsonl and one page of the cells of all FOLDERs; runs stay where they are, and the page \
leads to them. Cells that several have are taken once, and have to be the same in all. Audits are not merged.

Examples:
  reprise bench merge all/ gpt-5/ opus/ sonnet/")]
pub struct MergeArgs {
    /// The folder of the merged bench; it must not exist.
    pub out: PathBuf,
    /// Folders of benches.
    #[arg(required = true, num_args = 2..)]
    pub folders: Vec<PathBuf>,
    /// Print what came together as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Makes one bench of several.
///
/// # Errors
/// A folder that is no bench's, a cell with two results, or a place that cannot be written.
pub fn merge(printer: Printer, args: &MergeArgs) -> Result<Status, Failure> {
    let out = absolute(&args.out)?;
    if out.exists() {
        return Err(Failure::usage(format!(
            "{} exists: name another",
            args.out.display()
        )));
    }
    let mut cells = BTreeMap::<String, (BenchCell, &Path)>::new();
    let (mut names, mut reviews) = (Vec::new(), Vec::new());
    for folder in &args.folders {
        let bench = BenchFolder(folder);
        names.push(bench.own_plan()?.name);
        let root = absolute(folder)?;
        let current = bench.current()?;
        reviews.extend(bench.reviews_of(&current)?);
        for mut cell in current {
            cell.folder = relative(&out, &root.join(&cell.folder));
            add(&mut cells, cell, folder)?;
        }
    }
    names.dedup();
    let cells: Vec<BenchCell> = cells.into_values().map(|(cell, _)| cell).collect();
    let plan = BenchPlan {
        name: names.join(" + "),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cells: cells.iter().map(CellPlan::of_cell).collect(),
    };
    let bench = BenchFolder(&out);
    bench.write_plan(&plan)?;
    if !reviews.is_empty() {
        bench.add_reviews(reviews)?;
    }
    let written = bench.write(&plan, cells)?;
    if args.json {
        printer.json(&json!({
            "format": "reprise-bench-merge/1",
            "name": plan.name,
            "cells": written.len(),
            "page": bench.page(),
        }))?;
        return Ok(Status::Done);
    }
    printer.line(format!(
        "{} cells of {} benches",
        written.len(),
        args.folders.len()
    ));
    printer.line(format!("page: {}", args.out.join("index.html").display()));
    Ok(Status::Done)
}

/// Takes a cell, or finds that it is there.
fn add<'a>(
    cells: &mut BTreeMap<String, (BenchCell, &'a Path)>,
    cell: BenchCell,
    folder: &'a Path,
) -> Result<(), Failure> {
    let Some((known, from)) = cells.get(&cell.cell) else {
        cells.insert(cell.cell.clone(), (cell, folder));
        return Ok(());
    };
    match (known.result, known.attempt, known.score) == (cell.result, cell.attempt, cell.score) {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "the cell {} ({}) is `{}` in {} and `{}` in {}: merge one of the two, or run it with another repeat",
            cell.cell,
            cell.task,
            known.words,
            from.display(),
            cell.words,
            folder.display()
        ))),
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let place = match fs::canonicalize(path) {
        Ok(place) => Ok(place),
        Err(_) => std::path::absolute(path),
    };
    place.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// The way from a folder to a path, both absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let same = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let up = from[same..].iter().map(|_| "..".as_ref());
    up.chain(to[same..].iter().map(|part| part.as_os_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_folder_to_another() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/all", "/a/one/cells/x"), "../one/cells/x");
        assert_eq!(way("/a", "/a/one"), "one");
        assert_eq!(way("/x/y", "/a"), "../../a");
    }
}
