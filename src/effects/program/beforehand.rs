//! The cells that a task has executed in a kernel before its program is started, and what they leave to it.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::domain::content::Content;
use crate::domain::failure::FailureCause;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::act::{lost, open_again};
use crate::effects::context::Effects;
use crate::effects::notebook::{beforehand_text, budget};
use crate::effects::session_gate::environment;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{ActedBeforehand, CallRef, StageEnd};

use super::session::ProgramPlace;

/// The legacy of a task's cells to its program.
#[derive(Debug, Default)]
pub struct LeftByCells {
    /// The folder of the workspace that they left; `None` where that is the one that sessions begin in.
    pub folder: Option<WorkspacePath>,
    /// What is told of them behind the prompt; empty where there were none.
    pub told: String,
    /// What is to be known of them, a sentence each.
    pub notes: Vec<String>,
}

/// The state of a task before its program is started.
pub enum BeforeProgram {
    Ready(LeftByCells),
    /// The stage is over, for this reason.
    Over(StageEnd),
    Interrupted,
}

/// Brings the workspace to where the cells of the task left it, and ends their kernel. Where another start of
/// the program has used it, or the engine that executed them is gone with their kernel, they are executed
/// again.
///
/// # Errors
/// A session that does not open or does not act, or a journal that cannot be read or written.
pub async fn ready(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    place: &ProgramPlace,
    cancel: &CancellationToken,
) -> Result<BeforeProgram, EngineError> {
    let Some(stage) = session.state.stages.get(&at.stage) else {
        return Ok(BeforeProgram::Ready(LeftByCells::default()));
    };
    let (acts, is_first) = (stage.own_beforehand().to_vec(), stage.programs.is_empty());
    if acts.is_empty() {
        return Ok(BeforeProgram::Ready(LeftByCells::default()));
    }
    let spent = budget::reached(&session.state, at.stage).filter(|_| is_first);
    if let Some(spent) = spent {
        return Ok(BeforeProgram::Over(StageEnd::Failed {
            cause: spent.cause(),
            detail: spent.to_string(),
        }));
    }
    let kernel = environment(effects, session)?;
    if let Some(detail) = lost(effects, session, kernel.as_ref()).await? {
        let cause = FailureCause::Infrastructure;
        return Ok(BeforeProgram::Over(StageEnd::Failed { cause, detail }));
    }
    let Some(different) = open_again(effects, session, at, cancel).await? else {
        return Ok(BeforeProgram::Interrupted);
    };
    let folder = match &mut effects.environment {
        Some(open) => tokio::select! {
            () = cancel.cancelled() => return Ok(BeforeProgram::Interrupted),
            folder = open.folder() => folder?,
        },
        None => None,
    };
    effects.close_session(session).await?;
    // One that a cell has removed since is none to begin in.
    let is_there = |folder: &WorkspacePath| folder.below(&session.folder.workspace()).is_dir();
    let folder = folder.filter(|folder| *folder != place.start && is_there(folder));
    let begins_in = place.seen(folder.as_ref().unwrap_or(&place.start));
    let text = |content: &Content| session.text(content);
    Ok(BeforeProgram::Ready(LeftByCells {
        told: beforehand_text::to_program(&acts, &begins_in, &text)?,
        notes: notes(session, at, &acts, &begins_in, &different),
        folder,
    }))
}

/// The time that a program may be at work outside its calls of the model, where the task limits it: what the
/// cells before it have left of the seconds of its environment.
pub fn work_left(session: &Session, at: CallRef) -> Option<Duration> {
    let allowed = allowed_seconds(session)?.saturating_mul(1000);
    let used = budget::used(&session.state, at.stage).environment_ms;
    Some(Duration::from_millis(allowed.saturating_sub(used)))
}

fn allowed_seconds(session: &Session) -> Option<u64> {
    let terms = session.state.started.as_ref()?.notebook.as_ref()?;
    Some(terms.limits.environment_seconds)
}

fn notes(
    session: &Session,
    at: CallRef,
    acts: &[ActedBeforehand],
    begins_in: &str,
    different: &[String],
) -> Vec<String> {
    let seconds = budget::used(&session.state, at.stage)
        .environment_ms
        .div_ceil(1000);
    let mut notes = vec![format!(
        "The task had {} acts done beforehand, in a kernel that ended before the program began: the program began in \
         `{begins_in}`, with their files and without the kernel's variables. They took {seconds} of the {} seconds that \
         the task allows.",
        acts.len(),
        allowed_seconds(session).unwrap_or_default()
    )];
    if !different.is_empty() {
        notes.push(format!(
            "They were done again for this start, and these came to something else than the program was told: {}.",
            different.join("; ")
        ));
    }
    notes
}
