//! Runs that a task is made by.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args as _, Command, FromArgMatches as _, ValueEnum as _};

use crate::app::driver::{self, Attendance};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::notebook_attempt::args::NotebookAttemptArgs;
use crate::cli::notebook_attempt::prepare::prepare;
use crate::cli::output::{Printer, one_line};
use crate::cli::progress::Progress;
use crate::cli::run_folder;
use crate::cli::session_args::NetworkChoice;
use crate::cli::signals::until_stopped;
use crate::cli::terminal::Terminal;
use crate::engine::dispatch::EngineStop;
use crate::engine::session::Session;
use crate::engine::watch::Watch;
use crate::grading::notebook_run;
use crate::notebook::history::step::{CellOutcome, NotebookStep, StepBy};
use crate::run::decide::failed_stage;

use super::args::MakeArgs;

/// Seconds that a cell of a solution is waited for.
const WAIT: u64 = 86_400;

/// An attempt that is to be made.
pub struct WantedRun<'a> {
    /// Of people, such as `run 2`.
    pub what: String,
    pub tasks: &'a Path,
    pub repositories: &'a Path,
    pub model: String,
    pub out: PathBuf,
    /// Where its session is recorded.
    pub record: Option<PathBuf>,
    /// Whether it executes a solution, which is not hurried by the budgets of agents.
    pub is_solution: bool,
}

/// The way in which runs are made.
pub struct TaskRuns<'a> {
    pub program: &'a Program,
    pub printer: Printer,
    pub args: &'a MakeArgs,
}

impl TaskRuns<'_> {
    /// Makes a run, and returns it where it came to its end with an answer.
    ///
    /// # Errors
    /// A run that cannot be begun, or that did not end so, with what is to be done.
    pub async fn made(&self, wanted: WantedRun<'_>) -> Result<Session, Failure> {
        let args = self.attempt_args(&wanted)?;
        let mut prepared = prepare(self.program, &args, Some(&wanted.out)).await?;
        prepared.request.record.clone_from(&wanted.record);
        let folder = run_folder::create(&prepared.folder)?;
        prepared.request.save(&folder.request())?;
        self.printer
            .note(format!("{}: {}", wanted.what, folder.path().display()));
        let progress = Arc::new(Progress::new(self.printer, false));
        let watch: Arc<dyn Watch> = progress.clone();
        let terminal = Terminal::new(self.printer, &self.program.settings, &prepared.request.model);
        let (cancel, watcher) = until_stopped();
        let attendance = Attendance {
            shared: &ProcessShared::default(),
            person: Arc::new(terminal),
            cancel,
            signing: None,
        };
        let carried = driver::carry(self.program, folder, prepared.request, &watch, attendance).await;
        watcher.abort();
        progress.finish();
        let (session, stop) = carried?;
        let refuse = |status, why: &str| {
            Err(Failure::new(
                status,
                format!("{} ({}): {why}", wanted.what, session.folder.path().display()),
            ))
        };
        match stop {
            EngineStop::Interrupted => return refuse(Status::Interrupted, "it was interrupted"),
            EngineStop::AwaitingApproval => {
                let why = "its session waits for an approval: call with --approve auto, or at a terminal";
                return refuse(Status::AwaitingApproval, why);
            }
            EngineStop::Finished | EngineStop::Halted => {}
        }
        match failed_stage(&session.state) {
            Some(failure) => {
                let why = format!(
                    "it ended by {}: {}",
                    failure.cause.name(),
                    one_line(failure.detail)
                );
                refuse(Status::StageFailed, &why)
            }
            None => Ok(session),
        }
    }

    /// The options of an attempt, read as `notebook run` reads them.
    fn attempt_args(&self, wanted: &WantedRun<'_>) -> Result<NotebookAttemptArgs, Failure> {
        let session = &self.args.session;
        let mut typed: Vec<OsString> = vec![wanted.tasks.into()];
        let mut add = |name: &str, value: OsString| {
            let mut option = OsString::from(format!("--{name}="));
            option.push(value);
            typed.push(option);
        };
        add("repos", wanted.repositories.into());
        add("model", wanted.model.as_str().into());
        add("approve", self.args.approve.as_str().into());
        add(
            "network",
            match self.args.network {
                NetworkChoice::Indexes => "indexes".into(),
                NetworkChoice::None => "none".into(),
            },
        );
        for (name, values) in [
            ("allow-host", &self.args.hosts),
            ("package", &self.args.packages),
            ("system", &self.args.system),
        ] {
            for value in values {
                add(name, value.as_str().into());
            }
        }
        if let Some(sandbox) = session.sandbox.to_possible_value() {
            add("sandbox", sandbox.get_name().into());
        }
        for (name, value) in [
            ("time-limit", session.time_limit),
            ("memory-limit", session.memory_limit),
            ("process-limit", session.process_limit),
            ("processors", session.processors),
        ] {
            add(name, value.to_string().into());
        }
        if wanted.is_solution {
            add("wait", WAIT.to_string().into());
            add("environment-seconds", session.time_limit.to_string().into());
        }
        if self.args.allow_unpriced {
            typed.push("--allow-unpriced".into());
        }
        let command = Command::new("make").no_binary_name(true).disable_help_flag(true);
        let matches = NotebookAttemptArgs::augment_args(command).try_get_matches_from(typed);
        let read = matches.and_then(|matches| NotebookAttemptArgs::from_arg_matches(&matches));
        read.map_err(|error| Failure::usage(one_line(&error.to_string())))
    }
}

/// The steps of a run that executed a solution.
///
/// # Errors
/// A cell that did not come to a good end, by its number and its last words.
pub fn solved(number: u32, session: &Session) -> Result<Vec<NotebookStep>, Failure> {
    let history = notebook_run::history(&session.state, session.store.as_ref())?;
    let steps = history.map(|history| history.steps).unwrap_or_default();
    let cells = steps
        .iter()
        .filter(|step| step.by == StepBy::Agent && step.action.as_deref() == Some("execute"));
    for (cell, step) in (1..).zip(cells) {
        let is_well = step.outcome == Some(CellOutcome::Done) && matches!(step.exit_code, None | Some(0));
        if !is_well {
            let last = step
                .observation
                .lines()
                .rev()
                .find(|line| !line.trim().is_empty());
            let last: String = last.unwrap_or("it printed nothing").chars().take(300).collect();
            let status = step
                .exit_code
                .map_or_else(String::new, |status| format!(" (status {status})"));
            return Err(Failure::new(
                Status::StageFailed,
                format!(
                    "run {number}: cell {cell} of the solution did not come to a good end{status}: {}",
                    one_line(&last)
                ),
            ));
        }
    }
    Ok(steps)
}

/// What the cells of a run printed, one after another.
pub fn output(steps: &[NotebookStep]) -> String {
    let cells = steps
        .iter()
        .filter(|step| step.action.as_deref() == Some("execute"));
    let texts: Vec<&str> = cells.map(|step| step.observation.as_str()).collect();
    texts.join("\n")
}
