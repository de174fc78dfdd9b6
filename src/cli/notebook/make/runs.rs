//! Runs that a task is made by.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::driver::{self, Attendance};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::notebook_attempt::prepare::prepare;
use crate::cli::output::{Printer, one_line};
use crate::cli::prepared_attempt::NamedTask;
use crate::cli::progress::Progress;
use crate::cli::run_folder;
use crate::cli::signals::until_stopped;
use crate::cli::terminal::Terminal;
use crate::domain::excerpt;
use crate::engine::choice::notebook::{NotebookBudgets, NotebookChoice};
use crate::engine::choice::run::RunChoice;
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
        let named = NamedTask {
            file: wanted.tasks,
            task: None,
        };
        let choice = self.choice(&wanted);
        let mut prepared = prepare(self.program, &choice, named, Some(&wanted.out)).await?;
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

    /// The choice of an attempt.
    fn choice(&self, wanted: &WantedRun<'_>) -> NotebookChoice {
        let args = self.args;
        let budgets = match wanted.is_solution {
            true => NotebookBudgets {
                wait: Some(WAIT),
                environment_seconds: Some(args.session.time_limit),
                ..NotebookBudgets::default()
            },
            false => NotebookBudgets::default(),
        };
        NotebookChoice {
            repos: Some(wanted.repositories.to_owned()),
            packages: args.packages.clone(),
            system: args.system.clone(),
            network: args.network,
            budgets,
            run: RunChoice {
                model: Some(wanted.model.clone()),
                approve: args.approve.clone(),
                sandbox: args.session.sandbox,
                hosts: args.hosts.clone(),
                allow_unpriced: args.allow_unpriced,
                ..RunChoice::new(args.session.limits())
            },
            ..NotebookChoice::default()
        }
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
            let last = excerpt::last_line(&step.observation).unwrap_or("it printed nothing");
            let last = excerpt::shortened(last, 300);
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
