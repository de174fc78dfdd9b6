//! `reprise compare`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::analysis::parity::comparison::Comparison;
use crate::analysis::parity::parting::Parting;
use crate::analysis::parity::reason::Comparability;
use crate::analysis::parity::same_study;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::report::comparison::gather::{self, NothingToCompare};
use crate::report::comparison::page::{self, Heading};
use crate::report::comparison::table;
use crate::report::json;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};

#[derive(Debug, Args)]
#[command(after_help = "\
The first step at which the runs part is named, in what was done and in what was told. Findings are paired by
name, then by value; what could be several is left unpaired. Runs that opened
other data or have another N are not comparable, whatever their verdicts.

Exit codes: 0 comparable, with the same verdict and sign; 1 not comparable, not known to be, or
with another verdict or sign; 2 two studies, or a run without results.

Examples:
  reprise compare runs/native runs/python
  reprise compare runs/native runs/python --json
  reprise compare runs/native runs/python --html comparison.html")]
pub struct CompareArgs {
    /// The folder of one run; differences are relative to it.
    #[arg(value_name = "RUN")]
    pub first: PathBuf,
    /// The folder of another run of the same study.
    #[arg(value_name = "RUN")]
    pub second: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a page with a paired plot into this file; `-` prints it.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// The format's name and version.
const FORMAT: &str = "reprise-comparison/1";
/// Reasons that are printed.
const SHOWN: usize = 20;

/// Compares two runs of one study.
///
/// # Errors
/// A run that cannot be read, runs of two studies, or nothing to compare.
pub fn compare(printer: Printer, args: &CompareArgs) -> Result<Status, Failure> {
    let first = RunReader::open(&args.first)?;
    let second = RunReader::open(&args.second)?;
    let started = gather::started(&first)?;
    same_study::check(started, gather::started(&second)?)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let comparison = Comparison::new([gather::side(&first)?, gather::side(&second)?]);
    let parting = Parting::new(&first.state, &second.state);
    let heading = Heading {
        study: &started.study,
        title: &started.title,
        claim: &started.claim.statement,
    };
    let to_output = args.html.as_deref() == Some(Path::new("-"));
    if let Some(path) = &args.html {
        let page = page::render(&comparison, heading).map_err(|error| unwritable(&error))?;
        if to_output {
            printer.raw(&page);
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            atomic_file::replace(path, page.as_bytes(), folder.unwrap_or(Path::new(".")))?;
        }
    }
    if args.json {
        let value = json!({ "study": started.study, "same": comparison.is_same(), "comparison": comparison, "parting": parting });
        let text = json::document(FORMAT, &value).map_err(|error| unwritable(&error))?;
        printer.raw(&text);
    } else if !to_output {
        tell(printer, &comparison, &parting, heading);
        if let Some(path) = &args.html {
            printer.line(format!("page: {}", path.display()));
        }
    }
    Ok(if comparison.is_same() {
        Status::Done
    } else {
        Status::Differs
    })
}

fn unwritable(error: &dyn std::fmt::Display) -> Failure {
    EngineError::Unusable(format!("the comparison cannot be written: {error}")).into()
}

fn tell(printer: Printer, comparison: &Comparison, parting: &Parting, heading: Heading<'_>) {
    let paint = match comparison.comparability {
        Comparability::Comparable => paint::GOOD,
        Comparability::NotComparable => paint::BAD,
        Comparability::Unknown => paint::WARN,
    };
    let [one, two] = comparison.labels();
    printer.line(format!(
        "{}: {}, the {one} run beside the {two} run",
        styled(paint, comparison.comparability.words()),
        printable(heading.study)
    ));
    let line = |text: &str| printer.line(printable(&text.replace('\n', " ")));
    for sentence in comparison.sentences.iter().take(SHOWN) {
        line(&format!("  {sentence}"));
    }
    let more = comparison.sentences.len().saturating_sub(SHOWN);
    if more > 0 {
        line(&format!("  {more} further reasons are in the output of --json."));
    }
    let [first, second] = [&comparison.first, &comparison.second].map(|run| run.verdict.outcome);
    line(&if comparison.same_verdict {
        format!("the same verdict: {first}")
    } else {
        format!("another verdict: {first} in the {one} run, {second} in the {two} run")
    });
    for sentence in parting.sentences() {
        line(&sentence);
    }
    line("");
    for text in table::findings(comparison) {
        line(&text);
    }
    line("");
    for text in table::files(comparison) {
        line(&text);
    }
}

impl From<NothingToCompare> for Failure {
    fn from(error: NothingToCompare) -> Self {
        match error {
            NothingToCompare::Unreadable(error) => error.into(),
            other => Self::usage(other.to_string()),
        }
    }
}
