//! `reprise report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::app::report_files;
use crate::app::word_report::{self, LIMIT, PANDOC};
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::report::recomputed::Recomputed;
use crate::report::view::View;
use crate::report::{html, json as json_report, markdown};

use super::exit::{Failure, Status};
use super::output::{Printer, printable};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Html,
    Md,
    Json,
    /// A Word document, made by pandoc.
    Docx,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reprise report RUN\n  reprise report RUN --format md --out -\n  reprise report RUN --out report.docx\n  reprise report RUN --recompute"
)]
pub struct ReportArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The form of the report [default: the one that --out ends in, else html]
    #[arg(long, value_enum)]
    pub format: Option<ReportFormat>,
    /// Say beside the recorded verdict what the rules of this version say of the
    /// same journal, which stays as it is.
    #[arg(long)]
    pub recompute: bool,
    /// The file to write; `-` prints [default: report.FORMAT in the run's folder]
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Writes a run's report.
///
/// # Errors
/// A run that cannot be read, or a report that cannot be written.
pub fn report(printer: Printer, args: &ReportArgs) -> Result<Status, Failure> {
    let run = RunReader::open(&args.dir)?;
    let (view, _) = report_files::view(&run, args.recompute)?;
    let format = args.format.unwrap_or_else(|| of_name(args.out.as_deref()));
    let is_printed = args.out.as_deref() == Some(Path::new("-"));
    if is_printed && format == ReportFormat::Docx {
        return Err(Failure::usage(
            "a Word document cannot be printed: name a file with --out, or leave it out",
        ));
    }
    let text = render(&view, format)?;
    match &args.out {
        Some(_) if is_printed => printer.raw(&text),
        out => {
            if let Some(again) = &view.verdict.recomputed {
                tell(printer, again);
            }
            let path = out
                .clone()
                .unwrap_or_else(|| run.folder.report(extension(format)));
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let bytes = match format {
                ReportFormat::Docx => word_report::from_markdown(&text, PANDOC.as_ref(), LIMIT)
                    .map_err(|error| EngineError::Unusable(error.to_string()))?,
                _ => text.into_bytes(),
            };
            atomic_file::replace(&path, &bytes, folder)?;
            printer.line(path.display());
        }
    }
    Ok(Status::Done)
}

/// Both verdicts, and why they differ.
fn tell(printer: Printer, again: &Recomputed) {
    let recorded = again.recorded.as_deref().unwrap_or("no verdict");
    printer.line(format!("recorded    {}", printable(recorded)));
    printer.line(format!("recomputed  {}", printable(&again.line)));
    for one in &again.differences {
        printer.line(format!("differs     {}", printable(one)));
    }
}

fn render(view: &View, format: ReportFormat) -> Result<String, Failure> {
    let failed = |error: String| {
        Failure::from(EngineError::Unusable(format!(
            "the report cannot be written: {error}"
        )))
    };
    match format {
        ReportFormat::Html => html::page::render(view).map_err(|error| failed(error.to_string())),
        ReportFormat::Md | ReportFormat::Docx => {
            markdown::render(view).map_err(|error| failed(error.to_string()))
        }
        ReportFormat::Json => json_report::render(view).map_err(|error| failed(error.to_string())),
    }
}

fn extension(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Html => "html",
        ReportFormat::Md => "md",
        ReportFormat::Json => "json",
        ReportFormat::Docx => "docx",
    }
}

/// The form that a file's name ends in.
fn of_name(out: Option<&Path>) -> ReportFormat {
    let extension = out.and_then(Path::extension).and_then(|end| end.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("md" | "markdown") => ReportFormat::Md,
        Some("json") => ReportFormat::Json,
        Some("docx") => ReportFormat::Docx,
        _ => ReportFormat::Html,
    }
}
