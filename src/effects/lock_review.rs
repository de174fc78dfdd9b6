//! The packages of a plan are held against the lock of the run before the plan is fixed.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::agent::dialogue::Dialogue;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::plan::EntryPoint;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::environment::lock::EnvironmentLock;
use crate::environment::locked_spec::LockRefusal;
use crate::run::event::CallRef;

use super::analyse::declared;
use super::context::Effects;
use super::dated_lock::{self, SettledLock};
use super::lock_wish::LockWish;
use super::objection::{Objection, object};
use super::reviewed::Reviewed;

/// Reviews the packages of a plan that stands otherwise; a plan without a lock to be held to stands.
///
/// # Errors
/// An index that does not answer, or a journal that cannot be written.
pub(super) async fn review(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Dialogue,
    reviewed: Reviewed,
    cancel: &CancellationToken,
) -> Result<Reviewed, EngineError> {
    let Reviewed::Stands { answer, mut notes } = reviewed else {
        return Ok(reviewed);
    };
    let Some(declared) = environment(&answer) else {
        return Ok(Reviewed::Stands { answer, notes });
    };
    let lock = match lock(effects, session, conversation, &declared, cancel).await? {
        SettledLock::None => return Ok(Reviewed::Stands { answer, notes }),
        SettledLock::Interrupted => return Ok(Reviewed::Step(Step::Interrupted)),
        SettledLock::Made(lock) => lock,
    };
    let Err(refused) = lock.held_to(&declared) else {
        return Ok(Reviewed::Stands { answer, notes });
    };
    let objection = objection(&lock, &refused, std::mem::take(&mut notes));
    object(session, conversation, answer, objection)
}

/// The environment that a plan declares; `None` of one that is refused elsewhere.
fn environment(answer: &Value) -> Option<EnvironmentSpec> {
    let info = serde_json::from_value::<ReplicationInfo>(answer.clone()).ok()?;
    let plan = info.plan().ok()?;
    let entries: Vec<&EntryPoint> = plan.0.iter().collect();
    declared::environment(&info, &entries).ok()
}

async fn lock(
    effects: &Effects,
    session: &mut Session,
    conversation: &Dialogue,
    declared: &EnvironmentSpec,
    cancel: &CancellationToken,
) -> Result<SettledLock, EngineError> {
    if let Some(lock) = &effects.request.lock {
        return Ok(SettledLock::Made(lock.clone()));
    }
    let position = conversation.position();
    let at = CallRef {
        stage: position.stage,
        turn: position.turn.saturating_sub(1),
        call: 0,
    };
    dated_lock::settle(effects, session, at, &LockWish::of_plan(declared), cancel).await
}

fn objection(lock: &EnvironmentLock, refused: &[LockRefusal], notes: Vec<String>) -> Objection {
    let lines: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let detail = format!(
        "The packages do not fit the lock of this run, as of {}: {}.",
        lock.as_of.day,
        lines.join("; ")
    );
    let words = format!(
        "The packages of the plan were held against the lock of this run, which has those of {}:\n- {}\nMend \
         `docker_specs`, or plan with other packages, then give the whole answer again.",
        lock.as_of.day,
        lines.join("\n- ")
    );
    Objection { detail, words, notes }
}
