//! `reprise report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::artifacts::content;
use crate::effects::conclude;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::put;
use crate::engine::run_reader::{self, RunReader};
use crate::grading::scorecard::card::FORMAT;
use crate::grading::scorecard::earlier_scores;
use crate::report::evidence::Evidence;
use crate::report::recomputed::Recomputed;
use crate::report::view::View;
use crate::report::{gather, grounding, html, json as json_report, markdown};
use crate::study::gold::Gold;
use crate::study::open::Study;

use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use super::{run_folder, run_paper};

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
    let (view, _) = view(&run, args.recompute)?;
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
            put::replace(&path, text.as_bytes(), folder)?;
            printer.line(path.display());
        }
    }
    Ok(Status::Done)
}

/// Writes what every finished run gets: the page, and the scores.
///
/// # Errors
/// A run that cannot be read, or a file that cannot be written.
pub fn write_all(folder: &RunFolder) -> Result<(), Failure> {
    let run = RunReader::open(folder.clone())?;
    let (view, evidence) = view(&run, false)?;
    let page = render(&view, ReportFormat::Html)?;
    put::replace(&folder.report("html"), page.as_bytes(), folder.path())?;
    // What judges have said of a run stays when it goes on.
    let mut scores = match earlier_scores::judged_scores(folder) {
        Some(scores) => scores,
        None => json!({"format": FORMAT}),
    };
    scores["headlines"] = json!(evidence.headlines);
    scores["scores"] = json!(evidence.scores);
    let text = serde_json::to_vec_pretty(&scores)
        .map_err(|error| Failure::usage(format!("the scores cannot be written: {error}")))?;
    put::replace(&folder.scores(), &text, folder.path())?;
    Ok(())
}

fn view(run: &RunReader, recompute: bool) -> Result<(View, Evidence), Failure> {
    let gold = Study::open(&run.request.study)
        .and_then(|study| Gold::open(&study))
        .map_err(|error| format!("the study's references could not be read: {error}"));
    let mut evidence = gather::gather(run, gold)?;
    // A paper that cannot be read leaves the lookups undone, which the report says.
    if let Some(found) = run_paper::read(run)
        .ok()
        .and_then(|paper| {
            evidence.paper_notes = paper.notes.clone();
            grounding::look_up(run, &paper).transpose()
        })
        .transpose()?
    {
        evidence.flags = Some(found.statistic_flags());
        evidence.grounding = Some(found.lines);
    }
    if recompute {
        let probes = run_reader::probes(&run.state, &run.folder);
        evidence.recomputed = Some(conclude::verdict(&run.state, &run.store, probes.as_ref())?);
    }
    let load = |name: &crate::domain::content::Content| {
        content::load(name, &run.store).map_err(|error| error.to_string())
    };
    Ok((View::build(&run.records, &load, &evidence), evidence))
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
