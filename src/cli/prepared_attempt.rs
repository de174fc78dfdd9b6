//! An attempt at a task of a task file that can begin, and its beginning.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::app;
use crate::app::program::Program;
use crate::engine::request::RunRequest;
use crate::model::recording::path::recording_path;

use super::attended_run::{self, AttendedBy};
use super::exit::{Failure, Status};
use super::output::Printer;
use super::signing::SignArgs;
use super::task::Task;
use super::{introduction, run_folder};

/// The task of an attempt, as it is named.
#[derive(Debug, Clone, Copy)]
pub struct NamedTask<'a> {
    pub file: &'a Path,
    /// If the file has several.
    pub task: Option<&'a str>,
}

/// An attempt with everything that can be refused beforehand looked at.
pub struct PreparedAttempt {
    /// The folder of the task file, and the attempt's own name.
    pub task: Task,
    pub folder: PathBuf,
    pub request: RunRequest,
}

/// The options of a person who has an attempt carried.
#[derive(Debug, Args)]
pub struct CarryArgs {
    /// Write the session into this file, or under this name into recordings/ beside the task
    /// file, for `--model recorded:...`.
    #[arg(long, value_name = "FILE|NAME", help_heading = "Record")]
    pub record: Option<String>,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

impl CarryArgs {
    /// The person who attends.
    ///
    /// # Errors
    /// A key that cannot be used.
    pub fn attended(&self) -> Result<AttendedBy, Failure> {
        Ok(AttendedBy {
            quiet: self.quiet,
            json: self.json,
            signing: self.sign.open()?,
        })
    }
}

impl PreparedAttempt {
    /// Begins the attempt, recorded where that is asked for, and carries it as far as it goes.
    ///
    /// # Errors
    /// A folder that cannot be used, or a run that cannot be carried on.
    pub async fn carry(
        mut self,
        program: &Program,
        printer: Printer,
        record: Option<&str>,
        person: AttendedBy,
    ) -> Result<Status, Failure> {
        let root = &self.task.root;
        self.request.record = record
            .map(|to| app::session_recording::place(root, to))
            .transpose()?;
        let folder = run_folder::create(&self.folder)?;
        self.request.save(&folder.request())?;
        if !person.quiet {
            introduction::tell(printer, root, &self.request.model);
        }
        attended_run::carry(program, printer, folder, self.request, person).await
    }
}

/// The recording of a task, where it has one.
///
/// # Errors
/// A task without a recording, which needs a model.
pub fn recorded_model(task: &Task) -> Result<String, Failure> {
    named_recording(&task.root, &task.id)
}

/// The recording of a name, where there is one.
///
/// # Errors
/// A folder without it, which needs a model.
pub fn named_recording(root: &Path, name: &str) -> Result<String, Failure> {
    if recording_path(root, name).is_file() {
        return Ok(format!("recorded:{name}"));
    }
    Err(Failure::usage(format!(
        "name a model with --model, such as openai/gpt-5: {} has no recording {name}",
        root.display()
    )))
}
