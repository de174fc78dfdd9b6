//! `reprise replay probe`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::app;
use crate::app::toolset::document_helper;
use crate::domain::probe::{ProbeRun, ProbeSettings, ProbeSummary};
use crate::effects::probe::perform::{ProbedRun, Ready};
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::Watch;
use crate::journal::lock::RunLock;
use crate::settings::Settings;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::progress::Progress;
use super::signals::until_stopped;

#[derive(Debug, Args)]
#[command(after_help = "\
The approved commands run again in copies of the workspace: without the data, with the focal
predictor permuted, with a tenth of the rows dropped, unchanged, with the planned outcome
permuted, and with its values in the order of the predictor. What came of it is kept as
probe.json in the run's folder; its journal stays as it is.

Examples:
  reprise replay probe runs/duncan-1961-python-20261121-185700
  reprise replay probe RUN --probe-time 600 --json")]
pub struct ProbeRunArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Seconds that it may take [default: the larger of 20 and 5 times the execution,
    /// and up to twice as much again where something is still wanted then]
    #[arg(long, value_name = "SECONDS")]
    pub probe_time: Option<u64>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print what came of it as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Probes whether a finished run's result comes from its data.
///
/// # Errors
/// A run that cannot be read or has nothing to probe, or a sandbox that cannot be had.
pub async fn probe(settings: &Settings, printer: Printer, args: ProbeRunArgs) -> Result<Status, Failure> {
    let folder = RunFolder::find(&args.dir)?;
    let archive = RunReader::read(folder.clone())?;
    if !archive.state.is_finished() {
        return Err(Failure::usage(format!(
            "{} has not ended: `reprise resume` goes on with it, and probes it where that was asked for",
            args.dir.display()
        )));
    }
    let _lock = RunLock::take(&folder.lock()).map_err(EngineError::from)?;
    let (cancel, watcher) = until_stopped();
    let progress = Arc::new(Progress::new(printer, args.quiet));
    let watch: Arc<dyn Watch> = progress.clone();
    let told = summary(settings, &archive, &args, &watch, &cancel).await;
    watcher.abort();
    progress.finish();
    let Some(summary) = told? else {
        printer.line("Interrupted; nothing was kept.");
        return Ok(Status::Interrupted);
    };
    let text = serde_json::to_vec_pretty(&summary)
        .map_err(|error| EngineError::Unusable(format!("the probes cannot be written: {error}")))?;
    atomic_file::replace(&folder.probe(), &text, folder.path())?;
    if args.json {
        printer.json(&summary)?;
    } else {
        tell(printer, &summary);
    }
    Ok(Status::Done)
}

async fn summary(
    settings: &Settings,
    archive: &RunReader,
    args: &ProbeRunArgs,
    watch: &Arc<dyn Watch>,
    cancel: &tokio_util::sync::CancellationToken,
) -> Result<Option<ProbeSummary>, Failure> {
    let documents = document_helper()?;
    let images = settings.images();
    let bench = ProbedRun {
        state: &archive.state,
        store: &archive.store,
        folder: &archive.folder,
        request: &archive.request,
        sandbox: app::sandboxes::sandbox(settings, archive.request.sandbox).await?,
        images: &images,
        documents: &documents,
        watch: watch.clone(),
    };
    let asked = ProbeSettings {
        seconds: args.probe_time,
    };
    watch.line("Probing whether the result comes from the data.");
    let probing = match bench.probing(asked, cancel).await? {
        Ready::Probing(probing) => probing,
        Ready::Unfit(summary) => return Ok(Some(*summary)),
        Ready::Interrupted => return Ok(None),
    };
    let mut unkept = |_: &ProbeRun| Ok(());
    Ok(probing.carry(&[], &mut unkept, cancel).await?)
}

/// Prints what came of probes.
pub fn tell(printer: Printer, summary: &ProbeSummary) {
    printer.line(format!(
        "{}: {}",
        styled(paint::STRONG, "probes"),
        printable(&summary.line())
    ));
    // The first one stands in the line.
    let line = summary.verdict.detail();
    for misreading in summary.misreadings.iter().filter(|one| one.detail != line) {
        printer.line(format!("  {}", printable(&misreading.detail)));
    }
    for note in &summary.notes {
        printer.line(format!("  {}", printable(note)));
    }
}
