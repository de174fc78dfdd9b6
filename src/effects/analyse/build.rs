//! The environment of an execution.

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment};
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{BuildResult, CallRef, Event, Work};
use crate::sandbox::contract::Sandbox;

use super::analysed::Analysed;
use super::observe;
use super::rules::Declared;

/// The outcome of making the environment.
pub enum Built {
    Ready(Environment),
    End(Analysed),
}

/// Makes the environment, or finds it ready; a failure is told from the journal.
///
/// # Errors
/// A fault of the machine or the network while it is made, or a journal that cannot be written.
pub async fn build(
    session: &mut Session,
    at: CallRef,
    sandbox: &dyn Sandbox,
    declared: &Declared,
    digest: Digest,
    cancel: &CancellationToken,
) -> Result<Built, EngineError> {
    let known = session.state.build_of(at).map(|build| build.result.clone());
    if let Some(BuildResult::Failed(_)) = known {
        return observe::build_failure(session, at, &declared.file)
            .map(|observation| Built::End(Analysed::Observed(observation)));
    }
    let lock = declared.lock.as_deref();
    let started = session.steady();
    session.begin(Work::Build);
    let watch = session.watch();
    watch.under_way(&format!(
        "{}: making the environment ({})",
        at.stage,
        declared.environment.lines().join("; ")
    ));
    let progress = move |line: &str| watch.line(line);
    let result = tokio::select! {
        () = cancel.cancelled() => return Ok(Built::End(Analysed::Interrupted)),
        result = sandbox.prepare(&declared.environment, cancel, &progress) => result,
    };
    match result {
        Ok(environment) => {
            if known.is_none() {
                let wall_ms = session.since(started);
                session.record(Event::Built {
                    at,
                    digest,
                    tier: sandbox.tier(),
                    result: BuildResult::Ready(environment.clone()),
                    wall_ms,
                    notes: lock.map_or_else(Vec::new, |lock| lock.differences_of(&environment)),
                })?;
            }
            Ok(Built::Ready(environment))
        }
        Err(_) if cancel.is_cancelled() => Ok(Built::End(Analysed::Interrupted)),
        Err(failure) => {
            let wall_ms = session.since(started);
            built_badly(session, at, sandbox, declared, failure, wall_ms).map(Built::End)
        }
    }
}

/// A build that failed: the agent's to mend, unless the world outside is at fault.
///
/// # Errors
/// A fault of the machine or the network, which no agent can mend, or a journal that cannot be written.
pub fn built_badly(
    session: &mut Session,
    at: CallRef,
    sandbox: &dyn Sandbox,
    declared: &Declared,
    failure: BuildFailure,
    wall_ms: u64,
) -> Result<Analysed, EngineError> {
    if failure.cause == FailureCause::Infrastructure {
        return Err(EngineError::Environment(failure));
    }
    // An environment that was made for this call may have been removed since.
    let told = session
        .state
        .build_of(at)
        .is_some_and(|build| matches!(build.result, BuildResult::Failed(_)));
    if !told {
        session.record(Event::Built {
            at,
            digest: Digest::compute_json(&declared.environment),
            tier: sandbox.tier(),
            result: BuildResult::Failed(failure),
            wall_ms,
            notes: Vec::new(),
        })?;
    }
    observe::build_failure(session, at, &declared.file).map(Analysed::Observed)
}
