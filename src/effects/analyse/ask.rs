//! The question before an execution, on exactly what would run.

use std::fs;

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::{Execute, Subject};
use crate::run::event::{Asking, CallRef, DecidedBy};
use crate::tools::contract::Observation;

use super::analysed::Analysed;
use super::outputs::KEPT_OUTPUT;
use super::wanted::ExecutionRequest;
use super::{apart, approval_details, execution_subject, present, workspace_files};
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
    at: CallRef,
    reason: &str,
    wanted: ExecutionRequest<'_>,
    cancel: &CancellationToken,
) -> Result<AskResult, EngineError> {
    let execute = what_would_run(effects, session, at, wanted, cancel).await?;
    let details = approval_details::details(session, &execute, wanted, reason)?;
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
        let path = file.path.below(&session.folder.workspace());
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        if Digest::compute(&bytes) == file.digest {
            session.store.put(&bytes)?;
        }
    }
    let subject = Subject::Execute(Box::new(execute));
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
pub async fn approved_now(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    wanted: ExecutionRequest<'_>,
    cancel: &CancellationToken,
) -> Result<Digest, EngineError> {
    let execute = what_would_run(effects, session, at, wanted, cancel).await?;
    Ok(Subject::Execute(Box::new(execute)).digest())
}

async fn what_would_run(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    wanted: ExecutionRequest<'_>,
    cancel: &CancellationToken,
) -> Result<Execute, EngineError> {
    let workspace = session.folder.workspace();
    let data = workspace_files::data_folders(session);
    let look = move |cancel: &CancellationToken| present::look(&workspace, &data, cancel);
    let present = apart::within_time(effects, session, at.stage, cancel, look).await?;
    let execute = execution_subject::build(session, at, wanted, effects.request.limits, &present)?;
    Ok(as_decided(effects, session, execute))
}

/// The form in which an execution was decided on. One that an earlier build asked about, in
/// this run or in the one that is replayed, stands as it was asked; what nobody has decided is
/// asked about in the form that covers most.
fn as_decided(effects: &Effects, session: &Session, execute: Execute) -> Execute {
    let decided = |execute: &Execute| {
        let digest = Subject::Execute(Box::new(execute.clone())).digest();
        session.state.gate.decision(digest).is_some() || effects.ports.person.has_decided(digest)
    };
    if decided(&execute) {
        return execute;
    }
    let first = execute.clone().in_first_form();
    if decided(&first) { first } else { execute }
}
