//! The gate before a single command of a session that is approved, where a rule wants one.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::domain::excerpt;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::decision::Decision;
use crate::policy::subject::{SessionCommand, Subject};
use crate::run::event::{Asking, CallRef};

use super::context::Effects;
use super::environment::Environment;
use super::gate::{self, ApprovalRequest, GateDecision};

/// The decision on a command.
pub enum CommandDecision {
    Open,
    /// Nobody is there to decide.
    Parked,
    /// What the agent is told, a sentence.
    Refused(String),
}

/// Has a command of our own loop's decided on.
///
/// # Errors
/// A question that cannot be kept in the store, or a journal that cannot be written.
pub async fn decided(
    effects: &Effects,
    session: &mut Session,
    environment: &dyn Environment,
    at: CallRef,
    action: &Value,
    cancel: &CancellationToken,
) -> Result<CommandDecision, EngineError> {
    let Some(text) = environment.command(action) else {
        return Ok(CommandDecision::Open);
    };
    let command = SessionCommand {
        environment: environment.name().to_owned(),
        text,
        program: None,
    };
    decided_on(effects, session, command, at, cancel).await
}

/// Has a command decided on. What the decision on the session covers is not journaled again.
///
/// # Errors
/// A question that cannot be kept in the store, or a journal that cannot be written.
pub async fn decided_on(
    effects: &Effects,
    session: &mut Session,
    command: SessionCommand,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<CommandDecision, EngineError> {
    let summary = format!("run `{}`", first_line(&command.text));
    let details = details(&command);
    let subject = Subject::Command(command);
    let decision = effects.ports.approver.decide(&subject);
    if decision == Decision::Allow {
        return Ok(CommandDecision::Open);
    }
    let approval = ApprovalRequest {
        at,
        asking: Asking::Command,
        summary,
        digest: subject.digest(),
        subject: &subject,
        details,
    };
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open => CommandDecision::Open,
            GateDecision::Parked => CommandDecision::Parked,
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| {
                    format!(": {}", words.trim_end_matches('.'))
                });
                CommandDecision::Refused(format!("The command was refused{words}. Nothing was run."))
            }
        },
    )
}

/// What a person looks at: the command, and the folder that a program names for it.
fn details(command: &SessionCommand) -> String {
    let directory = command
        .program
        .as_ref()
        .and_then(|program| program.directory.as_ref());
    match directory {
        Some(directory) => format!("In the folder `{directory}`:\n{}", command.text),
        None => command.text.clone(),
    }
}

/// The first line of a command, shortened.
fn first_line(text: &str) -> String {
    let short = excerpt::start(excerpt::first_line(text), 120);
    match short.len() < text.trim_end().len() {
        true => format!("{short} …"),
        false => short.to_owned(),
    }
}
