//! `reprise ground`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::documents::document::Document;

use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::report::grounding::{self, Grounding, tally};
use crate::report::notes::plural;
use crate::scoring::grounding::line::{Line, Sought, Standing};
use crate::study::layout::PAPER;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::run_folder;

#[derive(Debug, Args)]
#[command(after_help = "\
Each quotation, location and number is found, found elsewhere, found altered, found but common, or absent. \
The exit code is 1 where one is absent.

Example:
  reprise ground RUN --json")]
pub struct GroundArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Print what was found as well.
    #[arg(long)]
    pub all: bool,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Looks up in the paper what a run extracted from it.
///
/// # Errors
/// A run or a paper that cannot be read, or a run that extracted nothing.
pub fn ground(printer: Printer, args: &GroundArgs) -> Result<Status, Failure> {
    let run = RunReader::open(run_folder::folder(&args.dir)?)?;
    let paper = paper(&run)?;
    let Some(found) = grounding::look_up(&run, &paper)? else {
        return Err(Failure::usage(format!(
            "{} has no post-registration: the run did not finish its extract stage",
            args.dir.display()
        )));
    };
    if args.json {
        printer.json(&json!({
            "format": "reprise-grounding/1",
            "lines": found.lines,
            "statistics": { "passages": found.passages, "flags": found.flags },
            "notes": paper.notes,
        }))?;
    } else {
        print(printer, &found, &paper.notes, args.all);
    }
    let absent = found.lines.iter().any(|line| line.standing == Standing::Absent);
    Ok(if absent { Status::Differs } else { Status::Done })
}

/// The paper that a run worked on, read in a helper process.
///
/// # Errors
/// A paper that is not there or cannot be read.
pub fn paper(run: &RunReader) -> Result<Document, Failure> {
    let path = run.folder.workspace().join(PAPER);
    let bytes =
        fs::read(&path).map_err(|error| EngineError::Unusable(format!("{}: {error}", path.display())))?;
    let helper = Helper::of_this_program()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")))?;
    helper
        .read(PAPER, &bytes, &Limits::default())
        .map_err(|error| Failure::from(EngineError::Unusable(format!("{}: {error}", path.display()))))
}

fn print(printer: Printer, found: &Grounding, notes: &[String], all: bool) {
    for (name, sought) in [
        ("quotations", Sought::Quotation),
        ("locations", Sought::Location),
        ("numbers", Sought::Number),
    ] {
        printer.line(format!(
            "{} {}",
            styled(paint::STRONG, format!("{name:<11}")),
            tally(&found.lines, sought)
        ));
    }
    for line in &found.lines {
        if all || line.standing != Standing::Found {
            print_line(printer, line);
        }
    }
    printer.line(format!(
        "{} {} compared, {} {} not fit together",
        styled(paint::STRONG, "statistics "),
        plural(found.passages as u64, "passage", "passages"),
        found.flags.len(),
        if found.flags.len() == 1 { "does" } else { "do" }
    ));
    for flag in &found.flags {
        printer.line(format!("  {}: {}", flag.source, printable(&flag.passage)));
        let style = if flag.decides { paint::BAD } else { paint::WARN };
        printer.line(format!("    {}", styled(style, printable(&flag.detail))));
    }
    for note in notes {
        printer.line(format!("note: {}", printable(note)));
    }
}

fn print_line(printer: Printer, line: &Line) {
    let style = match line.standing {
        Standing::Found => paint::GOOD,
        Standing::Absent => paint::BAD,
        Standing::Altered | Standing::Elsewhere => paint::WARN,
        Standing::Common => paint::FAINT,
    };
    let note = line
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!(", {note}"));
    printer.line(format!(
        "  {} {} `{}` in {}{}",
        styled(style, format!("{}:", line.standing.words())),
        line.sought,
        printable(&line.text),
        line.field,
        printable(&note)
    ));
    if let Some(place) = &line.place {
        let page = match (place.page, place.printed) {
            (Some(page), Some(printed)) => format!("page {page} (printed {printed}): "),
            (Some(page), None) => format!("page {page}: "),
            (None, _) => String::new(),
        };
        printer.line(format!("      {page}{}", printable(&place.context)));
    }
    if line.standing == Standing::Absent
        && let Some(supports) = &line.supports
    {
        printer.line(format!("      it supports: {}", printable(supports)));
    }
}
