//! A kernel that is open for an attempt.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::beforehand_act::is_beforehand;
use super::edit_cells;
use super::file_commands::{self, FileOutcome, FileStep};
use super::folder_cell;
use super::observation::{SeenCell, seen};
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::EnvironmentSession;
use crate::engine::error::EngineError;
use crate::notebook::act::{CellRecord, NotebookAct};
use crate::notebook::edit::NotebookEdit;
use crate::notebook::file_command::FileCommand;
use crate::notebook::history::step::CellOutcome;
use crate::notebook::limits::WAIT_SECONDS;
use crate::notebook::terms::{Cleaning, NotebookTerms};
use crate::notebook::window::FileView;
use crate::sandbox::session::kernel::{CellStanding, KernelSession};
use crate::tools::contract::Observation;

/// Seconds that a cell of our own may take.
const OWN_CELL: u64 = 60;

/// A kernel, with how it is told of.
pub struct OpenKernel {
    kernel: KernelSession,
    wait: u64,
    cleaning: Cleaning,
    /// Told with the first reply to the agent.
    introduction: Option<String>,
    record: Option<CellRecord>,
    /// The file that is open in a window.
    view: Option<FileView>,
    notes: Vec<String>,
}

impl OpenKernel {
    /// A kernel of an attempt.
    pub fn new(kernel: KernelSession, terms: Option<&NotebookTerms>, notes: Vec<String>) -> Self {
        Self {
            kernel,
            wait: terms.map_or(WAIT_SECONDS, |terms| terms.limits.wait_seconds),
            cleaning: terms.map_or(Cleaning::default(), |terms| terms.cleaning),
            introduction: None,
            record: None,
            view: None,
            notes,
        }
    }

    /// A kernel that is taken up, with the file that was open in it.
    pub fn viewing(mut self, view: Option<FileView>) -> Self {
        self.view = view;
        self
    }

    /// Has the agent introduced to the session once it acts itself.
    pub fn introducing(mut self, introduction: String) -> Self {
        self.introduction = Some(introduction);
        self
    }

    async fn execute(&mut self, cell: &str, seconds: u64) -> Result<SeenCell, EngineError> {
        let reply = self.kernel.execute(cell, Duration::from_secs(seconds)).await?;
        Ok(seen(&reply, self.cleaning, 1, seconds))
    }

    async fn continue_wait(&mut self) -> Result<SeenCell, EngineError> {
        if !self.kernel.is_busy().await {
            return Ok(refused(
                "No cell is under way: give one by `execute`.".to_owned(),
                0,
            ));
        }
        let reply = self.kernel.wait(Duration::from_secs(self.wait)).await?;
        Ok(seen(&reply, self.cleaning, 0, self.wait))
    }

    async fn interrupt(&mut self) -> Result<SeenCell, EngineError> {
        if !self.kernel.is_busy().await {
            return Ok(refused(
                "No cell is under way that could be interrupted.".to_owned(),
                0,
            ));
        }
        let reply = self.kernel.interrupt().await?;
        Ok(seen(&reply, self.cleaning, 0, self.wait))
    }

    /// Makes an edit: the file is read by a cell, and written by another.
    async fn edit(&mut self, content: &str) -> Result<SeenCell, EngineError> {
        let edit = match NotebookEdit::parse(content) {
            Ok(edit) => edit,
            Err(fault) => return Ok(refused(format!("Nothing was edited: {fault}."), 0)),
        };
        let (name, own) = (&edit.file, Duration::from_secs(OWN_CELL));
        let reply = self.kernel.execute(&edit_cells::reading(name), own).await?;
        if let CellStanding::SessionOver(_) = reply.standing {
            return Ok(seen(&reply, self.cleaning, 1, OWN_CELL));
        }
        let text = match edit_cells::read(name, &reply.output.text()) {
            Ok(text) => text,
            Err(why) => return Ok(refused(format!("Nothing was edited: {why}"), 1)),
        };
        let edited = match edit.apply(&text) {
            Ok(edited) => edited,
            Err(mismatch) => return Ok(refused(format!("Nothing was edited. {mismatch}"), 1)),
        };
        let reply = self
            .kernel
            .execute(&edit_cells::writing(name, &edited.text), own)
            .await?;
        match edit_cells::written(name, &reply.output.text()) {
            Ok(()) => Ok(told(format!("`{name}` was edited:\n{}", edited.shown), true, 2)),
            Err(why) => Ok(refused(format!("Nothing was edited: {why}"), 2)),
        }
    }

    /// Carries out a command on files by cells of our own.
    async fn files(&mut self, command: &str) -> Result<SeenCell, EngineError> {
        let own = Duration::from_secs(OWN_CELL);
        let command = match FileCommand::parse(command) {
            Ok(command) => command,
            Err(fault) => return Ok(refused(format!("Nothing was done: {fault}."), 0)),
        };
        let cell = match file_commands::first_cell(&command, self.view.as_ref()) {
            Ok(cell) => cell,
            Err(outcome) => return Ok(self.viewed(outcome, 0)),
        };
        let reply = self.kernel.execute(&cell, own).await?;
        if let CellStanding::SessionOver(_) = reply.standing {
            return Ok(seen(&reply, self.cleaning, 1, OWN_CELL));
        }
        let (file, data, line, after) =
            match file_commands::behind_first(&command, self.view.as_ref(), &reply.output.text()) {
                FileStep::Over(outcome) => return Ok(self.viewed(outcome, 1)),
                FileStep::Write {
                    file,
                    data,
                    line,
                    after,
                } => (file, data, line, after),
            };
        let reply = self
            .kernel
            .execute(&file_commands::writing(&file, &data), own)
            .await?;
        let outcome = file_commands::behind_writing(&file, &after, line, &reply.output.text());
        Ok(self.viewed(outcome, 2))
    }

    fn viewed(&mut self, outcome: FileOutcome, cells: u32) -> SeenCell {
        if outcome.view.is_some() {
            self.view = outcome.view;
        }
        let mut seen = told(outcome.text, outcome.ok, cells);
        seen.record.view.clone_from(&self.view);
        seen
    }
}

fn refused(text: String, cells: u32) -> SeenCell {
    told(text, false, cells)
}

/// What was done without a cell of the agent's.
fn told(text: String, ok: bool, cells: u32) -> SeenCell {
    SeenCell {
        record: CellRecord {
            outcome: if ok {
                CellOutcome::Done
            } else {
                CellOutcome::Failed
            },
            exit_code: None,
            cells,
            whole: text.clone(),
            upto: 0,
            file: None,
            view: None,
        },
        observation: Observation {
            text,
            stable: None,
            ok,
            command: None,
        },
    }
}

#[async_trait]
impl EnvironmentSession for OpenKernel {
    async fn act(&mut self, action: &Value, _: &CancellationToken) -> Result<Observation, EngineError> {
        let act: NotebookAct = serde_json::from_value(action.clone()).map_err(|error| {
            EngineError::Unusable(format!("an act of the kernel cannot be read: {error}"))
        })?;
        let SeenCell {
            mut observation,
            record,
        } = match act {
            NotebookAct::Execute { cell, seconds } => {
                let seconds = seconds.map_or(self.wait, |seconds| seconds.min(self.wait));
                self.execute(&cell, seconds).await?
            }
            NotebookAct::Edit { edit } => self.edit(&edit).await?,
            NotebookAct::Files { command } => self.files(&command).await?,
            NotebookAct::ContinueWait => self.continue_wait().await?,
            NotebookAct::Interrupt => self.interrupt().await?,
        };
        self.record = Some(record);
        if !is_beforehand(action)
            && let Some(introduction) = self.introduction.take()
        {
            // Another machine confines otherwise.
            observation.stable.get_or_insert(observation.text.clone());
            observation.text = format!("{introduction}\n{}", observation.text);
        }
        Ok(observation)
    }

    fn take_record(&mut self) -> Option<Value> {
        self.record.take().map(|record| json!(record))
    }

    async fn folder(&mut self) -> Result<Option<WorkspacePath>, EngineError> {
        let own = Duration::from_secs(OWN_CELL);
        let reply = self.kernel.execute(folder_cell::CELL, own).await?;
        Ok(folder_cell::read(&reply.output.text()))
    }

    async fn close(self: Box<Self>) -> Vec<String> {
        let mut notes = self.notes;
        notes.extend(self.kernel.close().await);
        notes
    }
}
