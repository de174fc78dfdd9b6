//! The folder of a run, as a verb names or makes it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::app;
use crate::domain::mode::Setting;
use crate::engine::folder::RunFolder;
use crate::settings::Settings;

use super::exit::{Failure, Status};
use super::task::Task;

/// A path as short as the current folder allows.
pub fn shown(path: &Path) -> String {
    let short = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(PathBuf::from));
    short.unwrap_or_else(|| path.to_owned()).display().to_string()
}

/// A study's name as a part of a folder's.
pub fn plain(study: &str) -> String {
    study
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() || character == '-' {
                character
            } else {
                '-'
            }
        })
        .take(60)
        .collect()
}

/// The name of a run that begins at this moment.
pub fn run_name(settings: &Settings, task: &Task, setting: Setting) -> String {
    let setting = task.track.as_deref().unwrap_or_else(|| setting.name());
    timed(settings, &format!("{}-{setting}", plain(&task.id)))
}

/// A name with this moment.
pub fn timed(settings: &Settings, name: &str) -> String {
    let time = app::clock::clock(settings).now().strftime("%Y%m%d-%H%M%S");
    format!("{name}-{time}")
}

/// The folder below `runs` that no other run of this second has taken.
pub fn free(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    let later = (2..).map(|number| Path::new("runs").join(format!("{name}-{number}")));
    std::iter::once(first.clone())
        .chain(later)
        .find(|folder| !folder.exists())
        .unwrap_or(first)
}

/// Makes the run's folder; one that is there already is somebody's run.
///
/// # Errors
/// A folder that is there already or cannot be made.
pub fn create(path: &Path) -> Result<RunFolder, Failure> {
    let io =
        |error: std::io::Error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()));
    let occupied = path.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        let way_out = if path.join("run.json").exists() {
            "`reprise resume` goes on with it"
        } else {
            "choose another --out"
        };
        return Err(Failure::usage(format!(
            "{} exists and is not empty: {way_out}",
            path.display()
        )));
    }
    fs::create_dir_all(path).map_err(io)?;
    Ok(RunFolder::at(path)?)
}
