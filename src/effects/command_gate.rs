//! The gate before a single command of a session that is approved, where a rule wants one.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::decision::Decision;
use crate::policy::subject::{SessionCommand, Subject};
use crate::run::event::{Asking, CallRef};
use crate::tools::contract::Observation;

use super::context::Effects;
use super::environment::Environment;
use super::gate::{self, ApprovalRequest, GateDecision};

/// The decision on a command.
pub enum CommandDecision {
    Open,
    /// Nobody is there to decide.
    Parked,
    /// What the agent is told.
    Refused(Observation),
}

/// Has a command decided on. What the decision on the session covers is not journaled again.
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
    let summary = format!("run `{}`", first_line(&text));
    let subject = Subject::Command(SessionCommand {
        environment: environment.name().to_owned(),
        text: text.clone(),
    });
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
        details: text,
    };
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open => CommandDecision::Open,
            GateDecision::Parked => CommandDecision::Parked,
            GateDecision::Refused { words, .. } => {
                let words = words.map_or(String::new(), |words| {
                    format!(": {}", words.trim_end_matches('.'))
                });
                CommandDecision::Refused(Observation::bad(format!(
                    "The command was refused{words}. Nothing was run."
                )))
            }
        },
    )
}

/// The first line of a command, shortened.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(120).collect();
    match short.len() < text.trim_end().len() {
        true => format!("{short} …"),
        false => short,
    }
}
