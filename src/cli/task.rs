//! The task of a run, as a verb names it.

use std::path::{Path, PathBuf};

use crate::app;
use crate::app::program::Program;
use crate::domain::execution::Tier;
use crate::domain::mode::Setting;
use crate::domain::plan::Interpreter;
use crate::effects::analyse::available::{self, AvailablePrograms};
use crate::engine::request::RunRequest;
use crate::sandbox::inside;
use crate::settings::Settings;
use crate::study::error::StudyError;
use crate::study::kind::Kind;
use crate::study::open::Study;
use crate::study::task_file::TaskFile;

use super::exit::{Failure, Status};

/// A task that is to be run.
pub struct Task {
    pub id: String,
    pub root: PathBuf,
    /// Its track, where it is no study's claim.
    pub track: Option<String>,
    pub study: Option<Study>,
}

/// Opens a task that is to be run: a study, or whatever its `task.toml` says.
///
/// # Errors
/// A folder that is no usable task.
pub fn open(path: &Path) -> Result<Task, Failure> {
    let invalid = |error: StudyError| Failure::new(Status::StudyInvalid, error.to_string());
    if let Some(file) = TaskFile::find(path).map_err(invalid)? {
        return Ok(Task {
            id: file.id,
            root: path.to_owned(),
            track: Some(file.track),
            study: None,
        });
    }
    let study = Study::open(path).map_err(invalid)?;
    Ok(Task {
        id: study.id().to_owned(),
        root: study.root().to_owned(),
        track: None,
        study: Some(study),
    })
}

/// Refuses a run that could not end well here, before anything is paid for.
///
/// # Errors
/// No sandbox, no usable data, or in native mode no script that can run here.
pub async fn ensure_runnable(program: &Program, task: &Task, request: &RunRequest) -> Result<(), Failure> {
    let settings = &program.settings;
    let open = program.tracks.open_for(request)?;
    let sandbox = app::sandboxes::sandbox_for(settings, request, &open.catalog, &open.parts).await?;
    let Some(study) = task.study.as_ref().filter(|_| task.track.is_none()) else {
        return Ok(());
    };
    let setting = Setting::new(request.code_mode, request.code_access);
    if let Some(sandbox) = sandbox
        && setting == Setting::Native
    {
        // Data that are not there are the study's to mend, whatever could run its scripts.
        study
            .ensure_usable_data()
            .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
        native(settings, study, sandbox.tier())?;
    }
    Ok(())
}

/// Refuses native mode where none of the study's scripts can run here.
fn native(settings: &Settings, study: &Study, tier: Tier) -> Result<(), Failure> {
    let images = settings.images();
    let offer = AvailablePrograms {
        tier,
        images: &images,
        installed: &inside::is_installed,
    };
    let mut missing = None;
    for file in study.files_of_kind(Kind::Code) {
        let Ok(interpreter) = Interpreter::from_path(&file.path) else {
            continue;
        };
        match available::missing(interpreter, file.path.as_str(), offer) {
            None => return Ok(()),
            Some(sentence) => missing = missing.or(Some(sentence)),
        }
    }
    let reason = missing.unwrap_or_else(|| {
        format!(
            "{} has no script that could be run, so native mode has nothing to run.",
            study.root().display()
        )
    });
    Err(Failure::new(
        Status::StudyInvalid,
        format!("{reason} Else choose `--code-mode python` or `--code-access data-only`."),
    ))
}
