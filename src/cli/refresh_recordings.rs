//! `reprise replay refresh`: keeps hand-written recordings and judgings in step with the prompts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::app;
use crate::app::program::Program;
use crate::capsule::terms;
use crate::domain::claim_only;
use crate::domain::ids::RunId;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::track::StageSelection;

use crate::effects::ports::Nobody;
use crate::engine::dispatch::EngineStop;
use crate::engine::folder::RunFolder;
use crate::engine::request::{Approve, RunRequest};
use crate::engine::watch::Watch;
use crate::model::recording::format::Recording;
use crate::model::recording::path::recording_path;
use crate::model::recording::recorded::RecordedModel;
use crate::notebook::terms as notebook_terms;
use crate::run::decide::{self, StageFailure};

use super::exit::{Failure, Status};
use super::judgings;
use super::notebook_attempt::recorded_task;
use super::output::Printer;
use super::progress::Progress;
use super::task::{self, Task};
use super::{attended_run, capsule_task};

#[derive(Debug, Args)]
pub struct RefreshRecordingsArgs {
    /// The folder of the study, or of another task.
    pub study: PathBuf,
    /// The recordings [default: every one of the study]
    pub names: Vec<String>,
    /// A folder whose stage definitions take the place of the built-in ones.
    #[arg(long)]
    pub stages_dir: Option<PathBuf>,
    /// Change nothing; fail when a recording is out of date.
    #[arg(long)]
    pub check: bool,
}

/// Runs each recording by position, and writes the requests it met into it.
///
/// # Errors
/// A recording that cannot be read, run or written.
pub async fn refresh_recordings(
    program: &Program,
    printer: Printer,
    args: RefreshRecordingsArgs,
) -> Result<Status, Failure> {
    let names = if args.names.is_empty() {
        names(&args.study)?
    } else {
        args.names.clone()
    };
    let mut status = Status::Done;
    for name in &names {
        let path = recording_path(&args.study, name);
        for (path, after) in refreshed(program, printer, &args, name, path).await? {
            let before = fs::read_to_string(&path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            if before == after {
                printer.line(format!("{}: up to date", path.display()));
            } else if args.check {
                printer.line(format!(
                    "{}: out of date; `reprise replay refresh {}` updates it",
                    path.display(),
                    args.study.display()
                ));
                status = Status::Differs;
            } else {
                fs::write(&path, after).map_err(|error| {
                    Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
                })?;
                printer.line(format!("{}: refreshed", path.display()));
            }
        }
    }
    Ok(status)
}

/// The recordings of a study, in order.
fn names(study: &Path) -> Result<Vec<String>, Failure> {
    let folder = study.join("recordings");
    let entries =
        fs::read_dir(&folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_suffix(".json")
                .map(ToOwned::to_owned)
        })
        .collect();
    names.sort();
    Ok(names)
}

/// The recording at `path` as it should be, and with it the judgings of its setting.
async fn refreshed(
    program: &Program,
    printer: Printer,
    args: &RefreshRecordingsArgs,
    name: &str,
    path: PathBuf,
) -> Result<Vec<(PathBuf, String)>, Failure> {
    let (settings, study) = (&program.settings, args.study.as_path());
    let capsule = capsule_task::of_recording(settings, study, name)?;
    let notebook = recorded_task::of_recording(program, study, name)?;
    let of_track = |id: String, track: &str| Task {
        id,
        root: study.to_owned(),
        track: Some(track.to_owned()),
        study: None,
    };
    let task = match (&capsule, &notebook) {
        (Some(capsule), _) => of_track(capsule.id.to_string(), terms::TRACK),
        (None, Some(notebook)) => of_track(notebook.id.clone(), notebook_terms::TRACK),
        (None, None) => {
            let task = task::open(study)?;
            let predicts = task.study.is_some() && name == claim_only::TRACK;
            Task {
                track: task.track.or_else(|| predicts.then(|| name.to_owned())),
                ..task
            }
        }
    };
    let overrides = args.stages_dir.as_deref();
    let catalog = program.tracks.catalog(task.track.as_deref(), overrides)?;
    let stages = StageSelection::default().within(catalog.track());
    let unusable = |error: crate::model::chat::ModelError| Failure::usage(error.to_string());
    let recording = Recording::open(&path).map_err(unusable)?;
    let judgings = judgings::for_setting(study, &recording.setting)?;
    let code_mode = if recording.setting.starts_with("native") {
        CodeMode::Native
    } else {
        CodeMode::Python
    };
    let code_access = if recording.setting.ends_with("data only") {
        CodeAccess::DataOnly
    } else {
        CodeAccess::Code
    };
    let io = |error: std::io::Error| Failure::new(Status::Infrastructure, error.to_string());
    let folder = tempfile::tempdir().map_err(io)?;
    let run = RunId::new(format!("refresh-{name}"));
    let root = fs::canonicalize(study).map_err(io)?;
    let stages = stages.map_err(|error| Failure::usage(error.to_string()))?;
    let request = RunRequest {
        code_mode,
        code_access,
        track: task.track,
        stages_dir: args.stages_dir.clone(),
        capsule,
        notebook,
        ..RunRequest::new(run, root, stages, format!("recorded:{name}"), Approve::Auto)
    };
    let progress = Arc::new(Progress::new(printer, false));
    let watch: Arc<dyn Watch> = progress.clone();
    let run_folder = RunFolder::at(folder.path())?;
    // Judges read the run as they find it in its folder.
    request.save(&run_folder.request())?;
    let mut session = app::run::session(settings, run_folder, watch, None)?;
    let model = Arc::new(RecordedModel::refreshing(&request.model, recording));
    let mut effects = app::run::effects(
        program,
        request,
        app::recorded::recorded(model.clone()),
        Arc::new(Nobody),
    )
    .await?;
    let stop = attended_run::drive(&mut session, &mut effects).await;
    progress.finish();
    let stop = stop?;
    if stop != EngineStop::Finished {
        return Err(Failure::new(
            Status::StageFailed,
            format!("{name} did not come to its end: {stop:?}"),
        ));
    }
    if let Some(StageFailure { stage, cause, detail }) = decide::failed_stage(&session.state) {
        return Err(Failure::new(
            Status::StageFailed,
            format!("{name}: stage {stage} failed ({cause}): {detail}"),
        ));
    }
    let unasked = model.unasked();
    if !unasked.is_empty() {
        return Err(Failure::new(
            Status::StageFailed,
            format!(
                "{name}: {} turns of the recording were never reached, the first at {:?}",
                unasked.len(),
                unasked[0]
            ),
        ));
    }
    let mut refreshed = vec![(path, model.refreshed().to_json().map_err(unusable)?)];
    for judging in judgings {
        let text = judgings::refreshed(settings, folder.path(), &judging).await?;
        refreshed.push((judging, text));
    }
    Ok(refreshed)
}
