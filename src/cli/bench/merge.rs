//! `reprise bench merge`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::merged_agents::{MergedFolder, tell_apart};
use super::pooled_judges::ensure_one_judge;
use super::whole_folder::WholeFolder;
use crate::analysis::bench::cell::BenchCell;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::bench_plan::{BenchPlan, CellPlan};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, printable};

#[derive(Debug, Args)]
#[command(after_help = "\
OUT gets one bench.json, one cells.jsonl and one page of the cells of all FOLDERs; runs stay where they are, and the page \
leads to them. Cells that several have are taken once, and have to be the same in all. Agents that share a name and are \
different ones (by their settings, or by their cells of the same task, arm and repeat) are told apart: x (FOLDER). Audits \
are not merged.

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
/// A folder that is no bench's, a cell with two results, agents that cannot be told apart, or a
/// place that cannot be written.
pub fn merge(printer: Printer, args: &MergeArgs) -> Result<Status, Failure> {
    let out = absolute(&args.out)?;
    if out.exists() {
        return Err(Failure::usage(format!(
            "{} exists: name another",
            args.out.display()
        )));
    }
    let mut cells = BTreeMap::<String, (BenchCell, &Path)>::new();
    let (mut names, mut reviews, mut merged) = (Vec::new(), Vec::new(), Vec::new());
    for folder in &args.folders {
        let bench = BenchFolder(folder);
        let plan = bench.own_plan()?;
        names.push(plan.name);
        let root = absolute(folder)?;
        let mut current = bench.current()?;
        reviews.extend(bench.reviews_of(&current)?);
        for cell in &mut current {
            cell.folder = relative(&out, &root.join(&cell.folder));
        }
        merged.push(MergedFolder::new(folder, current, plan.cells));
    }
    ensure_one_judge(merged.iter().flat_map(|folder| &folder.cells))?;
    let renamed = tell_apart(&mut merged)?;
    let mut options = BTreeMap::new();
    for folder in merged {
        options.extend(folder.options);
        for cell in folder.cells {
            add(&mut cells, cell, folder.folder)?;
        }
    }
    for review in &mut reviews {
        if let Some((cell, _)) = cells.get(&review.cell) {
            review.agent.clone_from(&cell.agent);
        }
    }
    names.dedup();
    let cells: Vec<BenchCell> = cells.into_values().map(|(cell, _)| cell).collect();
    // Its agents can be told from those of further benches by what they were run with.
    let planned = cells.iter().map(|cell| CellPlan {
        options: options.remove(&cell.cell).unwrap_or_default(),
        ..CellPlan::of_cell(cell)
    });
    let plan = BenchPlan {
        name: names.join(" + "),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cells: planned.collect(),
        divided: None,
    };
    let whole = WholeFolder::begin(&out)?;
    let written = {
        // In the same folder, so that the ways to the runs are those of the place that it gets.
        let bench = BenchFolder(whole.path());
        bench.write_plan(&plan)?;
        if !reviews.is_empty() {
            bench.add_reviews(reviews)?;
        }
        bench.write(&plan, cells)?
    };
    whole.name()?;
    let bench = BenchFolder(&out);
    for one in &renamed {
        printer.note(printable(&format!(
            "the agents `{}` are different ones: that of {} is `{}` here",
            one.agent,
            one.folder.display(),
            one.name
        )));
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-bench-merge/1",
            "name": plan.name,
            "cells": written.known.len(),
            "page": bench.page(),
            "renamed": renamed,
        }))?;
        return Ok(Status::Done);
    }
    printer.line(format!(
        "{} cells of {} benches",
        written.known.len(),
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
