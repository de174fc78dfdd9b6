//! `reprise report ground`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::app::run_paper;
use crate::domain::format;
use crate::engine::run_reader::RunReader;
use crate::report::grounding::{self, Grounding, tally};
use crate::scoring::grounding::line::{Line, Sought, Standing};

use super::exit::{Failure, Status};
use super::marked_copy;
use super::output::{Printer, paint, printable, styled};

#[derive(Debug, Args)]
#[command(after_help = "\
Each quotation, location and number is found, found elsewhere, found altered, found but common, or absent. \
The exit code is 1 where one is absent.

With --pdf the paper is copied with each of them highlighted at its place (green: found, blue: elsewhere, \
orange: altered, grey: common) and its field in the mark's note; what is absent is listed in a note at the \
top of the page that was named for it, or of the first. The run's own paper stays as it is.

Examples:
  reprise report ground RUN --json
  reprise report ground RUN --pdf --out marked.pdf")]
pub struct GroundArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Print what was found as well.
    #[arg(long)]
    pub all: bool,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a copy of the paper, which has to be a PDF, with everything marked at its place.
    #[arg(long)]
    pub pdf: bool,
    /// The file of the marked copy [default: original_paper.marked.pdf in the run's folder]
    #[arg(long, value_name = "FILE", requires = "pdf")]
    pub out: Option<PathBuf>,
}

/// Looks up in the paper what a run extracted from it.
///
/// # Errors
/// A run or a paper that cannot be read, or a run that extracted nothing.
pub fn ground(printer: Printer, args: &GroundArgs) -> Result<Status, Failure> {
    let run = RunReader::open(&args.dir)?;
    let paper = run_paper::read(&run).map_err(|fault| fault.into_error(&run))?;
    let Some(found) = grounding::look_up(&run, &paper)? else {
        return Err(Failure::usage(format!(
            "{} has no post-registration: the run did not finish its extract stage",
            args.dir.display()
        )));
    };
    let marked = if args.pdf {
        Some(marked_copy::write(
            &run,
            &paper,
            &found.lines,
            args.out.as_deref(),
        )?)
    } else {
        None
    };
    if args.json {
        let mut value = json!({
            "format": "reprise-grounding/1",
            "lines": found.lines,
            "statistics": { "passages": found.passages, "flags": found.flags },
            "notes": paper.notes,
        });
        if let Some(marked) = &marked {
            value["marked"] = json!(marked);
        }
        printer.json(&value)?;
    } else {
        print(printer, &found, &paper.notes, args.all);
        if let Some(marked) = &marked {
            printer.line(format!(
                "{} {}",
                styled(paint::STRONG, "marked     "),
                marked.file.display()
            ));
            printer.line(format!("            {}", marked.counts.words()));
        }
    }
    let absent = found.lines.iter().any(|line| line.standing == Standing::Absent);
    Ok(if absent { Status::Differs } else { Status::Done })
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
        format::counted(found.passages, "passage", "passages"),
        found.flags.len(),
        format::plural(found.flags.len(), "does", "do")
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
