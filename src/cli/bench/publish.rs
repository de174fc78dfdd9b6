//! `reprise bench publish`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::hidden_paths::HiddenPaths;
use super::whole_folder::WholeFolder;
use crate::analysis::bench::audit::AuditedTask;
use crate::analysis::bench::cell::BenchCell;
use crate::cli::bench_folder::BenchFolder;
use crate::cli::bench_format::{cell_line, plan_text};
use crate::cli::bench_results::quarantined;
use crate::cli::exit::{Failure, Status};
use crate::cli::opened_runs::OpenedRuns;
use crate::cli::output::{Printer, printable};
use crate::domain::format;
use crate::engine::atomic_file;
use crate::report::bench::page::{BenchPage, Links};
use crate::report::bench::publication::{Author, Publication};
use crate::report::bench::spdx;
use crate::report::export::exported_run::named;
use crate::report::export::member::Member;
use crate::report::export::tables;

#[derive(Debug, Args)]
#[command(after_help = "\
What is written can be put into a repository: figures, the page without links to runs, every cell, tables of runs, stages \
and decisions with a data package, a README and a CITATION.cff. Papers, data, conversations, references, answers of \
capsules and keys are not in it. Tables hold what persons wrote with their decisions: read data/decisions.csv first.

Examples:
  reprise bench publish bench/ --out published/ --author 'Doe, Jane' --license CC-BY-4.0
  reprise bench publish bench/ --out published/ --author 'Doe, Jane' --author 'A Laboratory' --title 'Native or Python'")]
pub struct PublishArgs {
    /// The bench's folder.
    pub dir: PathBuf,
    /// The folder to write; it must not exist.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// An author as `Family, Given`, or an organisation; may be given again
    #[arg(long = "author", value_name = "NAME", required = true)]
    pub authors: Vec<String>,
    /// What the results are called [default: the bench's name]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// The licence of the results, as an SPDX identifier
    #[arg(long, value_name = "SPDX")]
    pub license: Option<String>,
    /// Print the files that were written as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The authors as they are typed.
fn authors(typed: &[String]) -> Result<Vec<Author>, Failure> {
    let author = |text: &String| {
        Author::parse(text).ok_or_else(|| {
            Failure::usage(format!(
                "--author '{text}': a name is empty: give a person as 'Family, Given', and an organisation without a comma"
            ))
        })
    };
    typed.iter().map(author).collect()
}

fn check_license(license: &str) -> Result<(), Failure> {
    spdx::check(license).map_err(|unknown| {
        let meant = unknown.meant.map_or_else(String::new, |meant| format!(" `{meant}` is one."));
        Failure::usage(format!(
            "--license '{license}' is no identifier of a licence in SPDX's list.{meant} https://spdx.org/licenses/ has all of \
             them; leave --license out where none is given"
        ))
    })
}

/// Writes what of a bench may be shown.
///
/// # Errors
/// A folder that is no bench's or holds no run, or a place that cannot be written.
pub fn publish(printer: Printer, args: &PublishArgs) -> Result<Status, Failure> {
    if args.out.exists() {
        return Err(Failure::usage(format!(
            "{} exists: name another --out",
            args.out.display()
        )));
    }
    let authors = authors(&args.authors)?;
    if let Some(license) = &args.license {
        check_license(license)?;
    }
    let bench = BenchFolder(&args.dir);
    let plan = bench.own_plan()?;
    let hidden = HiddenPaths::new(&args.dir);
    let audit: Vec<AuditedTask> = bench
        .audit()?
        .into_iter()
        .map(|task| hidden.audited(task))
        .collect();
    let results = bench.results(&plan)?;
    let cells: Vec<BenchCell> = results.known.into_iter().map(|cell| hidden.cell(cell)).collect();
    let quarantined = quarantined(&plan, &audit);
    let runs = OpenedRuns::new(std::slice::from_ref(&args.dir))?;
    let exported = named(&runs.runs, &runs.cells);
    let day = exported
        .iter()
        .filter_map(|one| one.run.records.last())
        .map(|record| record.at)
        .max();
    let day = day.map(format::day);
    let publication = Publication {
        title: args.title.as_deref().unwrap_or(&plan.name),
        authors: &authors,
        license: args.license.as_deref(),
        day: day.as_deref(),
        version: &plan.version,
        planned: plan.cells.len(),
        cells: &cells,
        audit: &audit,
        quarantined: &quarantined,
    };
    let (mut reviews, mut judges) = (bench.reviews_of(&cells)?, bench.audited_judges()?);
    // The name of a recorded judge is a path.
    for review in &mut reviews {
        review.judge = hidden.message(&review.judge);
    }
    for judge in &mut judges {
        judge.judge = hidden.message(&judge.judge);
    }
    let page = BenchPage {
        name: publication.title,
        planned: plan.cells.len(),
        cells: &cells,
        audit: &audit,
        quarantined: &quarantined,
        gone: &[],
        judges: &judges,
        reviews: &reviews,
        links: Links::None,
    };
    let page = page.render();
    let unwritten = |error: &dyn std::fmt::Display| Failure::new(Status::Infrastructure, error.to_string());
    let mut members = vec![
        text("README.md", publication.readme()),
        text("CITATION.cff", publication.citation()),
        text("index.html", page.map_err(|error| unwritten(&error))?),
        text("cells.jsonl", lines(&cells).map_err(|error| unwritten(&error))?),
        text(
            "bench.json",
            plan_text(&hidden.plan(plan)).map_err(|error| unwritten(&error))?,
        ),
    ];
    let tables =
        tables::tables("data", &exported, |text| hidden.text(text)).map_err(|error| unwritten(&error))?;
    members.extend(tables.into_iter().map(|member| Member {
        path: format!("data/{}", member.path),
        bytes: member.bytes,
    }));
    let whole = WholeFolder::begin(&args.out)?;
    for member in &members {
        let path = whole.path().join(&member.path);
        let folder = path.parent().unwrap_or(whole.path());
        fs::create_dir_all(folder).map_err(|error| Failure::at(folder, &error))?;
        atomic_file::replace(&path, &member.bytes, folder)?;
    }
    whole.name()?;
    let files: Vec<PathBuf> = members.iter().map(|member| args.out.join(&member.path)).collect();
    if args.json {
        printer
            .json(&json!({ "format": "reprise-bench-publish/1", "cells": cells.len(), "files": files }))?;
        return Ok(Status::Done);
    }
    for file in &files {
        printer.line(printable(&file.display().to_string()));
    }
    Ok(Status::Done)
}

fn text(path: &str, text: String) -> Member {
    Member {
        path: path.to_owned(),
        bytes: text.into_bytes(),
    }
}

fn lines(cells: &[BenchCell]) -> Result<String, serde_json::Error> {
    let mut lines = String::new();
    for cell in cells {
        let mut cell = cell.clone();
        // A verdict beside whether it is right is the label.
        cell.labelled = None;
        lines += &cell_line(&cell)?;
        lines.push('\n');
    }
    Ok(lines)
}
