//! Histories of attempts on disk, runs of ours among them, with the task that each is at.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::engine::run_reader::RunReader;
use crate::grading::discovery::bounded_file;
use crate::grading::notebook_run;
use crate::notebook::history::read::read;
use crate::notebook::history::step::NotebookHistory;

/// The largest history, in bytes; the largest published one has 3.2 MB.
const LARGEST: u64 = 512 << 20;
/// The most folders of a folder of attempts.
const MOST_FOLDERS: usize = 100_000;
/// The files that hold a history, in the order in which they are looked for.
const NAMES: [&str; 2] = ["history.json", "history.ipynb"];

/// A history, and the names that its task may have.
pub(super) struct AttemptFile {
    pub path: PathBuf,
    pub history: NotebookHistory,
    /// What names the task, the best first: the history, `metadata.json`, the folder.
    pub names: Vec<String>,
}

/// A path that holds no history that can be graded.
pub(super) struct UnreadAttempt {
    pub path: PathBuf,
    pub why: String,
}

/// The history files below paths: a file, a folder with one, or a folder of such folders.
pub(super) fn found(paths: &[PathBuf]) -> Vec<Result<PathBuf, UnreadAttempt>> {
    paths.iter().flat_map(|path| below(path)).collect()
}

fn below(path: &Path) -> Vec<Result<PathBuf, UnreadAttempt>> {
    let unread = |why: String| {
        vec![Err(UnreadAttempt {
            path: path.to_owned(),
            why,
        })]
    };
    if !path.is_dir() {
        return vec![Ok(path.to_owned())];
    }
    if let Some(file) = in_folder(path) {
        return vec![Ok(file)];
    }
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) => return unread(error.to_string()),
    };
    let mut files: Vec<PathBuf> = entries
        .take(MOST_FOLDERS)
        .filter_map(Result::ok)
        .filter_map(|entry| in_folder(&entry.path()))
        .collect();
    files.sort();
    match files.is_empty() {
        true => unread("neither it nor a folder in it holds a history.json or a history.ipynb".to_owned()),
        false => files.into_iter().map(Ok).collect(),
    }
}

fn in_folder(folder: &Path) -> Option<PathBuf> {
    if is_run(folder) {
        return Some(folder.to_owned());
    }
    let places = ["", "artifacts"].into_iter().map(|place| folder.join(place));
    let mut files = places.flat_map(|place| NAMES.map(|name| place.join(name)));
    files.find(|file| file.is_file())
}

/// Whether a folder is that of a run of ours.
fn is_run(folder: &Path) -> bool {
    folder.join("run.json").is_file() && folder.join("journal.jsonl").is_file()
}

/// Reads the history of a run, as far as it is.
fn of_run(path: &Path) -> Result<NotebookHistory, String> {
    let run = RunReader::open(path).map_err(|error| error.to_string())?;
    if run.state.stages.values().any(|stage| !stage.programs.is_empty()) {
        return Err(
            "its agent is a program of others, whose cells are not in the journal: `reprise show` has the grade of its answer"
                .to_owned(),
        );
    }
    let history = notebook_run::history(&run.state, &run.store).map_err(|error| error.to_string())?;
    history.ok_or_else(|| "the run is no attempt at a notebook task".to_owned())
}

/// Reads a history of at most 512 MiB, or that of a run.
///
/// # Errors
/// A file that cannot be read or holds none.
pub(super) fn attempt(path: PathBuf) -> Result<AttemptFile, UnreadAttempt> {
    let history = match path.is_dir() {
        true => of_run(&path),
        false => bounded(&path, LARGEST).and_then(|text| read(&text).map_err(|fault| fault.to_string())),
    };
    match history {
        Ok(history) => Ok(AttemptFile {
            names: names(&path, &history),
            history,
            path,
        }),
        Err(why) => Err(UnreadAttempt { path, why }),
    }
}

fn bounded(path: &Path, largest: u64) -> Result<String, String> {
    let bytes = bounded_file::up_to(path, largest).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())
}

fn names(path: &Path, history: &NotebookHistory) -> Vec<String> {
    let folder = path.parent();
    let metadata = folder.map(|folder| folder.join("metadata.json"));
    let metadata = metadata
        .and_then(|file| bounded(&file, 16 << 20).ok())
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let written = metadata
        .as_ref()
        .and_then(|metadata| match metadata.get("task")? {
            Value::String(id) => Some(id.clone()),
            task => Some(task.get("task_id")?.as_str()?.to_owned()),
        });
    let of_folder = folder
        .and_then(Path::file_name)
        .and_then(|name| name.to_str())
        .map(str::to_owned);
    [history.task.clone(), written, of_folder]
        .into_iter()
        .flatten()
        .collect()
}
