//! The folder of a task that is made.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::effects::notebook::copy;
use crate::effects::notebook::mirror::{self, Mirror};
use crate::notebook::task_file::NotebookTaskFile;
use crate::notebook::terms::RepositoryState;

/// The names in the folder.
const TASKS: &str = "tasks.jsonl";
const REPOSITORIES: &str = "repositories";
const RECORDINGS: &str = "recordings";
const RUNS: &str = "runs";
const DRAFT: &str = "draft";

/// A task's folder, with the mirror of its repository.
pub struct MadeFolder {
    pub path: PathBuf,
    pub address: String,
    /// The commit of a repository with a history.
    pub commit: Option<String>,
    /// Entries of plain files that were left out, a sentence each.
    pub left_out: Vec<String>,
}

impl MadeFolder {
    /// Makes the folder, with a copy of the repository.
    ///
    /// # Errors
    /// A folder that is there, an address that is none, or a repository that cannot be copied.
    pub fn create(path: &Path, repo: &Path, address: String) -> Result<Self, Failure> {
        let invalid = |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", repo.display()));
        let name = mirror::name(&address).map_err(|error| Failure::usage(format!("--address: {error}")))?;
        let source = fs::canonicalize(repo).map_err(|error| invalid(&error))?;
        if path.exists() {
            return Err(Failure::usage(format!(
                "{} is there already: remove it, or choose another --out",
                path.display()
            )));
        }
        let inside = fs::canonicalize(
            path.parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
        );
        if inside.is_ok_and(|parent| parent.starts_with(&source)) {
            return Err(Failure::usage(format!(
                "{} lies inside the repository, whose copy would hold itself: choose another --out",
                path.display()
            )));
        }
        for folder in [REPOSITORIES, RECORDINGS, RUNS] {
            let folder = path.join(folder);
            fs::create_dir_all(&folder).map_err(failed(&folder))?;
        }
        let path = fs::canonicalize(path).map_err(failed(path))?;
        let found = Mirror::at(&source);
        let commit = found
            .commit(RepositoryState::Head, None)
            .map_err(|error| invalid(&error))?;
        let mirrors = path.join(REPOSITORIES);
        let left_out = match &commit {
            Some(commit) => {
                let target = mirrors.join(format!("{name}.git"));
                found
                    .clone_bare(&address, commit, &target)
                    .map_err(|error| invalid(&error))?;
                Vec::new()
            }
            None => copy::plain_files(&source, &mirrors.join(name)).map_err(|error| invalid(&error))?,
        };
        Ok(Self {
            path,
            address,
            commit,
            left_out,
        })
    }

    /// The task file.
    pub fn tasks(&self) -> PathBuf {
        self.path.join(TASKS)
    }

    /// The folder of the mirrors.
    pub fn repositories(&self) -> PathBuf {
        self.path.join(REPOSITORIES)
    }

    /// The place of a run, counted from 1.
    pub fn run(&self, number: u32) -> PathBuf {
        self.path.join(RUNS).join(number.to_string())
    }

    /// The solution, as a session that answers by position alone.
    pub fn solution(&self) -> PathBuf {
        self.path.join(RUNS).join("solution.json")
    }

    /// The recording of a task.
    pub fn recording(&self, id: &str) -> PathBuf {
        self.path.join(RECORDINGS).join(format!("{id}.json"))
    }

    /// The folder in which a model proposes the task.
    pub fn draft(&self) -> PathBuf {
        self.path.join(DRAFT)
    }

    /// Writes a task file with one record.
    ///
    /// # Errors
    /// A record that is no task, or a file that cannot be written.
    pub fn write_task(path: &Path, record: &Value) -> Result<(), Failure> {
        let text = format!("{record}\n");
        let name = path.display().to_string();
        NotebookTaskFile::parse(&name, &text).map_err(|error| Failure::usage(error.to_string()))?;
        fs::write(path, text).map_err(failed(path))
    }

    /// Writes the session that executes cells one by one and submits nothing in particular.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_solution(&self, cells: &[String]) -> Result<(), Failure> {
        let turn = |tool: &str, arguments: Value| json!({"answer": {"calls": [{"name": tool, "arguments": arguments}]}});
        let mut turns: Vec<Value> = cells
            .iter()
            .map(|cell| turn("execute", json!({ "cell": cell })))
            .collect();
        turns.push(turn("submit", json!({"answer": {}})));
        let session = json!({
            "format": "reprise-recording/1", "origin": "written by hand",
            "note": "The cells of a task's solution, in their order.",
            "stages": {"solve": {"turns": turns}},
        });
        let path = self.solution();
        fs::write(&path, session.to_string()).map_err(failed(&path))
    }

    /// Puts the answer into the last turn of the recording of the last run, which submitted nothing in
    /// particular; what was asked before it stays as it was.
    ///
    /// # Errors
    /// A recording that cannot be read or written.
    pub fn answer_recording(&self, id: &str, answer: &Value) -> Result<(), Failure> {
        let path = self.recording(id);
        let broken = || {
            Failure::new(
                Status::Infrastructure,
                format!("{} is no recording of the last run", path.display()),
            )
        };
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        let mut recording: Value = serde_json::from_str(&text).map_err(|_| broken())?;
        recording["origin"] = json!("written by hand");
        recording["note"] =
            json!("Made by `reprise notebook make` of the cells of the task's solution; no model's output.");
        let turns = recording["stages"]["solve"]["turns"].as_array_mut();
        let last = turns.and_then(|turns| turns.last_mut()).ok_or_else(broken)?;
        last["answer"]["calls"][0]["arguments"] = json!({ "answer": answer });
        let text = serde_json::to_string_pretty(&recording).map_err(|_| broken())?;
        fs::write(&path, format!("{text}\n")).map_err(failed(&path))
    }
}

/// A failure to write.
fn failed(path: &Path) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
}
