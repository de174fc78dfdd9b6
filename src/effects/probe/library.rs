//! Copies of data files that a library makes in the sandbox.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use crate::domain::excerpt;
use crate::domain::probe::NotMadeCause;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::{command, workspace_files};
use crate::engine::error::EngineError;
use crate::sandbox::contract::SandboxError;

use super::change::PlannedTrial;
use super::programs::{self, Program};
use super::scratch::{self, Scratch};
use super::sub_run_context::SubRunContext;

/// A file that a library is to change.
#[derive(Debug, Clone, Copy)]
pub struct FileToChange<'a> {
    pub path: &'a WorkspacePath,
    pub kind: &'static str,
}

/// Rows of a copied file, and those that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rows {
    pub all: usize,
    pub gone: usize,
}

/// The copies that a library made of the files: the rows of each, and why a file could not be
/// written.
#[derive(Debug, Default)]
pub struct Made {
    pub rows: BTreeMap<(String, WorkspacePath), Rows>,
    pub failed: BTreeMap<WorkspacePath, NotWritten>,
}

/// The reason for which a library could not write a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotWritten {
    pub cause: NotMadeCause,
    /// A clause.
    pub why: String,
}

impl NotWritten {
    /// As the program that was to write it reports.
    fn reported(why: &str) -> Self {
        Self {
            cause: NotMadeCause::from_report(why),
            why: why.to_owned(),
        }
    }
}

/// Makes copies of every file for every trial, below `to` in a folder of the trial's
/// name. `Ok(None)` says that it was cut short.
///
/// # Errors
/// A file of the workspace that cannot be read, a copy that cannot be written, or a sandbox that fails.
pub async fn make(
    place: &SubRunContext,
    files: &[FileToChange<'_>],
    trials: &[PlannedTrial<'_>],
    to: &Path,
    cancel: &CancellationToken,
) -> Result<Option<Made>, EngineError> {
    let mut made = Made::default();
    let mut left: Vec<FileToChange<'_>> = files.to_vec();
    for LibraryProgram { program, words } in programs_for(place) {
        // R's own formats are written by R where it is there, and others by whoever can.
        let (mine, rest): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|file| program == programs::R || !place.r || !matches!(file.kind, "rds" | "rdata"));
        left = rest;
        if mine.is_empty() {
            continue;
        }
        let Some(found) = with_program(
            place,
            &mine,
            trials,
            LibraryProgram { program, words },
            to,
            cancel,
        )
        .await?
        else {
            return Ok(None);
        };
        made.rows.extend(found.rows);
        left.extend(mine.iter().filter(|file| found.failed.contains_key(file.path)));
        made.failed.extend(found.failed);
    }
    made.failed
        .retain(|path, _| left.iter().any(|file| file.path == path));
    for file in left {
        made.failed
            .entry(file.path.clone())
            .or_insert_with(|| NotWritten {
                cause: NotMadeCause::NoLibrary,
                why: format!("the run's environment has no program that writes {}", file.kind),
            });
    }
    Ok(Some(made))
}

/// A program that uses a library.
struct LibraryProgram {
    program: Program,
    /// The command that it is an argument of.
    words: &'static [&'static str],
}

/// The programs for the languages of the run's environment.
fn programs_for(place: &SubRunContext) -> Vec<LibraryProgram> {
    let mut programs = Vec::new();
    if place.python {
        programs.push(LibraryProgram {
            program: programs::PYTHON,
            words: &["python"],
        });
    }
    if place.r {
        programs.push(LibraryProgram {
            program: programs::R,
            words: &["Rscript", "--vanilla"],
        });
    }
    programs
}

async fn with_program(
    place: &SubRunContext,
    files: &[FileToChange<'_>],
    trials: &[PlannedTrial<'_>],
    library: LibraryProgram,
    to: &Path,
    cancel: &CancellationToken,
) -> Result<Option<Made>, EngineError> {
    let LibraryProgram { program, words } = library;
    let scratch = Scratch::make(place.folder.join("make"))?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| EngineError::io(&path, error)
    };
    for file in files {
        let target = file.path.below(scratch.path());
        scratch::link(&file.path.below(&place.workspace), &target).map_err(io(&target))?;
    }
    let work = scratch.path().join(WorkspacePath::WORK);
    let helpers = scratch.path().join("helpers");
    for folder in [&work, &helpers] {
        fs::create_dir_all(folder).map_err(io(folder))?;
    }
    let text = helpers.join(program.name);
    fs::write(&text, program.text).map_err(io(&text))?;
    let instructions = work.join("probe.tsv");
    fs::write(&instructions, instructed(files, trials)).map_err(io(&instructions))?;
    let command = words
        .iter()
        .map(|word| (*word).to_owned())
        .chain([format!("../helpers/{}", program.name)])
        .collect();
    let execution = place.execution(scratch.path(), command, command::work()?, BTreeMap::new());
    let mut made = Made::default();
    match place.sandbox.execute(&execution, cancel).await {
        Ok(_) if cancel.is_cancelled() => return Ok(None),
        Ok(_) => {}
        Err(SandboxError::NoProgram(name)) => {
            let why = NotWritten {
                cause: NotMadeCause::Other,
                why: format!("`{name}` is not installed here"),
            };
            made.failed = files
                .iter()
                .map(|file| (file.path.clone(), why.clone()))
                .collect();
            return Ok(Some(made));
        }
        Err(error) => return Err(error.into()),
    }
    workspace_files::open_up(scratch.path(), WorkspacePath::WORK);
    workspace_files::remove_odd(scratch.path(), WorkspacePath::WORK)?;
    let report = workspace_files::text_if_there(&work.join("made.tsv"))?;
    for line in report.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            ["made", folder, path, all, gone] => {
                let (Ok(path), Ok(all), Ok(gone)) = (path.parse(), all.parse(), gone.parse()) else {
                    continue;
                };
                made.rows.insert(((*folder).to_owned(), path), Rows { all, gone });
            }
            ["failed", path, why] => {
                if let Ok(path) = path.parse() {
                    made.failed.insert(path, NotWritten::reported(why));
                }
            }
            _ => {}
        }
    }
    for file in files {
        let whole = trials
            .iter()
            .all(|one| made.rows.contains_key(&(one.name.clone(), file.path.clone())));
        if !whole && !made.failed.contains_key(file.path) {
            let said = fs::read_to_string(&execution.stderr).unwrap_or_default();
            let last = excerpt::start(said.lines().last().unwrap_or("it ended early"), 200);
            made.failed.insert(file.path.clone(), NotWritten::reported(last));
        }
    }
    made.rows.retain(|(_, path), _| !made.failed.contains_key(path));
    for (folder, path) in made.rows.keys() {
        if trials.iter().any(|one| one.name == *folder) && files.iter().any(|file| file.path == path) {
            let (from, target) = (path.below(&work.join(folder)), path.below(&to.join(folder)));
            let parent = target.parent().unwrap_or(to);
            fs::create_dir_all(parent).map_err(io(parent))?;
            fs::rename(&from, &target).map_err(io(&from))?;
        }
    }
    Ok(Some(made))
}

/// The instructions; a name that a line cannot hold moves nothing.
fn instructed(files: &[FileToChange<'_>], trials: &[PlannedTrial<'_>]) -> String {
    let mut text = format!("share\t{}\n", programs::SHARE);
    for file in files {
        text.push_str(&format!("file\t{}\t../{}\n", file.kind, file.path));
    }
    for one in trials {
        let [column, by] = one.change.columns().map(|column| {
            if column.contains(['\t', '\n', '\r']) {
                ""
            } else {
                column
            }
        });
        text.push_str(&format!(
            "copy\t{}\t{}\t{}\t{column}\t{by}\n",
            one.name,
            one.change.word(),
            one.seed
        ));
    }
    text
}
