//! `reprise report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::app::report_files;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::report::recomputed::Recomputed;
use crate::report::view::View;
use crate::report::{html, json as json_report, markdown};

use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use super::run_folder;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Html,
    Md,
    Json,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  reprise report RUN\n  reprise report RUN --format md --out -\n  reprise report RUN --recompute"
)]
pub struct ReportArgs {
    /// The run's folder.
    pub dir: PathBuf,
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub format: ReportFormat,
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
    let folder = run_folder::folder(&args.dir)?;
    let run = RunReader::open(folder)?;
    let (view, _) = report_files::view(&run, args.recompute)?;
    let text = render(&view, args.format)?;
    match &args.out {
        Some(path) if path == Path::new("-") => printer.raw(&text),
        out => {
            if let Some(again) = &view.verdict.recomputed {
                tell(printer, again);
            }
            let path = out
                .clone()
                .unwrap_or_else(|| run.folder.report(extension(args.format)));
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            atomic_file::replace(&path, text.as_bytes(), folder)?;
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
        ReportFormat::Md => markdown::render(view).map_err(|error| failed(error.to_string())),
        ReportFormat::Json => json_report::render(view).map_err(|error| failed(error.to_string())),
    }
}

fn extension(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Html => "html",
        ReportFormat::Md => "md",
        ReportFormat::Json => "json",
    }
}
