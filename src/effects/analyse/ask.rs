//! The question before an execution, on exactly what would run.

use std::fs;

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{Execute, Subject};
use crate::run::event::{Asking, CallRef, DecidedBy};
use crate::tools::contract::Observation;

use super::analysed::Analysed;
use super::outputs::KEPT_OUTPUT;
use super::wanted::ExecutionRequest;
use super::{files, subject};
use crate::effects::context::Effects;
use crate::effects::gate::{self, ApprovalRequest, GateDecision};

/// The outcome of asking.
pub enum AskResult {
    /// The standing approval's digest.
    Go(Digest),
    /// Time passed while somebody thought: what is to run is looked at anew.
    AskAgain,
    End(Analysed),
}

/// Finds or gets the decision on what would run at this moment.
///
/// # Errors
/// Files of the workspace that cannot be read, or a store or journal that cannot be written.
pub async fn ask(
    effects: &Effects,
    session: &mut Session,
    (at, reason): (CallRef, &str),
    wanted: ExecutionRequest<'_>,
    cancel: &CancellationToken,
) -> Result<AskResult, EngineError> {
    let execute = what_would_run(effects, session, at, wanted)?;
    let details = subject::details(session, &execute, &wanted.declared.environment, reason)?;
    let mut commands: Vec<String> = execute
        .commands
        .iter()
        .map(|command| command.words.join(" "))
        .collect();
    match execute.variants.len() {
        0 => {}
        1 => commands.push("and a variant".to_owned()),
        several => commands.push(format!("and {several} variants")),
    }
    // Kept so that the next question can show what changed.
    for file in execute.files.iter().chain(execute.plan.as_deref()) {
        if file.size > KEPT_OUTPUT || session.store.has(&file.digest) {
            continue;
        }
        let bytes = fs::read(file.path.below(&session.folder.workspace())).unwrap_or_default();
        if Digest::compute(&bytes) == file.digest {
            session.store.put(&bytes)?;
        }
    }
    let subject = Subject::Execute(execute);
    let digest = subject.digest();
    let was_decided = session.state.gate.decision(digest).is_some();
    let decision = effects.ports.approver.decide(&subject);
    let approval = ApprovalRequest {
        at,
        asking: Asking::Execute,
        summary: format!("run {}", commands.join("; ")),
        digest,
        subject: &subject,
        details,
    };
    Ok(
        match gate::pass(&effects.ports, session, approval, decision, cancel).await? {
            GateDecision::Open if was_decided => AskResult::Go(digest),
            GateDecision::Open => AskResult::AskAgain,
            GateDecision::Parked => AskResult::End(Analysed::Parked),
            GateDecision::Refused {
                words: Some(advice),
                by: DecidedBy::Person,
            } => AskResult::End(Analysed::Observed(Observation::bad(format!(
                "The person who attends this run refused the execution. Nothing was run. Their advice: {advice}"
            )))),
            GateDecision::Refused { words, .. } => AskResult::End(Analysed::Cancelled(format!(
                "running {} was refused{}",
                commands.join("; "),
                words.map_or(String::new(), |words| format!(": {words}"))
            ))),
        },
    )
}

/// The digest of what would run at this moment.
///
/// # Errors
/// Files of the workspace that cannot be read.
pub fn approved_now(
    effects: &Effects,
    session: &Session,
    at: CallRef,
    wanted: ExecutionRequest<'_>,
) -> Result<Digest, EngineError> {
    what_would_run(effects, session, at, wanted).map(|execute| Subject::Execute(execute).digest())
}

fn what_would_run(
    effects: &Effects,
    session: &Session,
    at: CallRef,
    wanted: ExecutionRequest<'_>,
) -> Result<Execute, EngineError> {
    let present = files::list(&session.folder.workspace(), WorkspacePath::WORK)?;
    let limits = effects.request.limits;
    subject::build(session, at, wanted, limits, &present)
}
