//! A task of capsules, as verbs name it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::capsule::archive::error::ArchiveError;
use crate::capsule::archive::limits::ArchiveLimits;
use crate::capsule::archive::source::CapsuleSource;
use crate::capsule::layout::level::{Layout, Level};
use crate::capsule::task_file::{CapsuleId, TaskFile};
use crate::engine::error::EngineError;
use crate::engine::request::{CapsuleRequest, LostSession};
use crate::settings::Settings;

use super::exit::{Failure, Status};

/// The name of a task file that stands beside its capsule.
pub const FILE: &str = "task.json";

/// The name of the recording of a task at a level.
pub fn recording_name(id: &CapsuleId, level: Level) -> String {
    format!("{id}-{}", level.word())
}

/// The folder of a capsule, in the folder that holds capsules; an archive is unpacked below
/// the cache first.
///
/// # Errors
/// A capsule that is not there, or an archive that cannot be unpacked.
pub fn source(settings: &Settings, capsules: &Path, id: &CapsuleId) -> Result<PathBuf, Failure> {
    let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
    let Some(found) = CapsuleSource::find(capsules, id) else {
        return Err(invalid(format!(
            "{} holds neither {id} nor {id}.tar.gz: name the folder that holds the capsules with --capsules",
            capsules.display()
        )));
    };
    let cache = settings.cache.join("capsules");
    let prepared = found
        .prepare(id, &cache, ArchiveLimits::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .map_err(|error| match error {
            // A full disk, or a cache that is not to be written: nothing is wrong with the archive.
            ArchiveError::Unwritable { path, source } => EngineError::io(&path, source).into(),
            error => invalid(error.to_string()),
        })?;
    fs::canonicalize(&prepared.folder)
        .map_err(|error| invalid(format!("{}: {error}", prepared.folder.display())))
}

/// The attempt that a recording of a folder with a task file is of; `None` of another folder.
///
/// # Errors
/// A task file that cannot be read, or a recording that is named after no task and level.
pub fn of_recording(
    settings: &Settings,
    folder: &Path,
    name: &str,
) -> Result<Option<CapsuleRequest>, Failure> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Ok(None);
    }
    let invalid = |why: String| Failure::new(Status::StudyInvalid, why);
    let file = TaskFile::open(&path).map_err(|error| invalid(error.to_string()))?;
    let named = file.tasks.iter().flat_map(|task| {
        let levels = Level::ALL.into_iter();
        levels.map(move |level| (&task.id, level))
    });
    let found = named
        .into_iter()
        .find(|(id, level)| recording_name(id, *level) == name);
    let Some((id, level)) = found else {
        return Err(invalid(format!(
            "{}: the recording {name} is named after no task of the file and no level, such as {}",
            path.display(),
            file.tasks
                .first()
                .map_or_else(String::new, |task| recording_name(&task.id, Level::Hard))
        )));
    };
    Ok(Some(CapsuleRequest {
        tasks: FILE.to_owned(),
        id: id.clone(),
        source: source(settings, folder, id)?,
        level,
        layout: Layout::Original,
        hosts: Vec::new(),
        base_images: BTreeMap::new(),
        lost_session: LostSession::default(),
        agent: None,
        beneath: None,
    }))
}
