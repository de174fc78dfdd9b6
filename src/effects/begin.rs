//! Stages the workspace and starts the journal.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::domain::mode::CodeAccess;
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::run::event::{Event, RunSettings, RunStarted};
use crate::study::copy::StudyCopy;
use crate::study::layout;

use super::context::Effects;
use super::{prices, withheld_code};

/// A workspace that a dead process left half-made is made anew: the first
/// event is written when it is whole.
///
/// # Errors
/// A study that cannot be staged into the workspace, or a journal that cannot be written.
pub fn begin(effects: &Effects, session: &mut Session) -> Result<(), EngineError> {
    let request = &effects.request;
    let workspace = session.folder.workspace();
    if workspace.exists() {
        make_removable(&workspace);
        fs::remove_dir_all(&workspace).map_err(|error| EngineError::io(&workspace, error))?;
    }
    let mut staged = effects.ports.track.staging.stage(request, &workspace)?;
    let searches = request.code_access == CodeAccess::DataOnly;
    if searches {
        withheld_code::withhold(&effects.ports.documents, &workspace, &mut staged)?;
    }
    let catalog = &effects.ports.catalog;
    let started = RunStarted {
        format: request.format,
        run: request.run.clone(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        study: staged.id,
        title: staged.title,
        origins: staged.origins,
        study_digest: staged.digest,
        claim: staged.claim,
        settings: RunSettings {
            model: effects.ports.model.name().to_owned(),
            recording: effects.ports.model.origin().map(str::to_owned),
            code_mode: request.code_mode,
            code_access: request.code_access,
            track: (request.format > 1).then(|| catalog.track().clone()),
            stages: request.stages,
            approve: request.approve.words(),
            limits: request.limits,
            sampling: request.sampling,
            catalog: catalog.digest(),
            prices: prices::in_force(&effects.ports),
            probe: request.probe,
            lock: kept_lock(request, session)?,
            as_of: request.dated.as_ref().map(|dated| dated.as_of.day),
            wording: request.wording,
        },
        data: staged.data,
        data_digest: staged.data_digest,
        code: staged.code,
        left_out: staged.left_out,
        code_searched: searches,
        study_copy: match staged.study_copy {
            Some(copy) => Some(StudyCopy {
                paper: paper_digest(&workspace)?,
                ..copy
            }),
            None => None,
        },
        capsule: staged.capsule,
        notebook: staged.notebook,
    };
    // Kept so that every later change of the task's code can be shown.
    for file in &started.code {
        let path = file.path.below(&workspace);
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        session.store.put(&bytes)?;
    }
    session.record(Event::RunStarted(Box::new(started)))
}

/// The text of the run's lock, in the store.
fn kept_lock(request: &RunRequest, session: &Session) -> Result<Option<Content>, EngineError> {
    let Some(lock) = &request.lock else {
        return Ok(None);
    };
    let text = lock.text();
    let text = text.map_err(|error| EngineError::Unusable(format!("the lock cannot be kept: {error}")))?;
    Ok(Some(session.keep(text.as_bytes())?))
}

/// The digest of the paper that stands in a workspace.
fn paper_digest(workspace: &Path) -> Result<Option<Digest>, EngineError> {
    let path = workspace.join(layout::PAPER);
    match File::open(&path) {
        Ok(file) => {
            let digest = Digest::compute_reader(file).map_err(|error| EngineError::io(&path, error))?;
            Ok(Some(digest))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::io(&path, error)),
    }
}

/// Staged folders are read-only; a half-made one has to go all the same.
fn make_removable(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in walkdir::WalkDir::new(folder)
        .follow_links(false)
        .into_iter()
        .flatten()
    {
        if entry.file_type().is_dir() {
            let _removal_will_tell = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755));
        }
    }
}
