//! The cells that a task has executed before its agent's turn, one act a step.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::beforehand_act::{DoneBeforehand, marked, next};
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::effects::act::{self, Acted, DoneAct};
use crate::effects::context::Effects;
use crate::effects::end_stage;
use crate::effects::halt::halt;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::notebook::act::{CellRecord, NotebookAct};
use crate::notebook::history::step::CellOutcome;
use crate::run::event::{ActedBeforehand, CallRef, Event, StageEnd};

/// Does the next act; `None` where nothing is left to do before the agent's turn.
///
/// # Errors
/// A session that does not open or does not act, or a journal that cannot be read or written.
pub async fn advance(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Option<Step>, EngineError> {
    let Some(act) = due(session, stage)? else {
        return Ok(None);
    };
    let index = session
        .state
        .stages
        .get(&stage)
        .map_or(0, |open| open.beforehand.len());
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let at = CallRef {
        stage,
        turn: 0,
        call: index,
    };
    let action = marked(&act);
    Ok(Some(
        match act::act(effects, session, at, &action, cancel).await? {
            Acted::Done(done) => {
                record(session, stage, index, &action, done)?;
                Step::Done
            }
            Acted::Parked => Step::Parked,
            Acted::Interrupted => Step::Interrupted,
            Acted::OutOfTime(spent) => halt(effects, session, stage, ModelError::Spent(spent))?,
            Acted::Cancelled(detail) => {
                let cause = FailureCause::Cancelled;
                end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
                Step::Done
            }
            Acted::Refused(told) => {
                let (cause, detail) = (FailureCause::Cancelled, told.text);
                end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
                Step::Done
            }
            Acted::Lost(detail) => {
                let cause = FailureCause::Infrastructure;
                end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
                Step::Done
            }
        },
    ))
}

/// The act that is due, where any is.
fn due(session: &Session, stage: Stage) -> Result<Option<NotebookAct>, EngineError> {
    let notebook = session
        .state
        .started
        .as_ref()
        .and_then(|started| started.notebook.as_ref());
    let (Some(terms), Some(open)) = (notebook, session.state.stages.get(&stage)) else {
        return Ok(None);
    };
    if terms.pre_cells.is_empty() || !open.is_before_turns() {
        return Ok(None);
    }
    let done = open.own_beforehand().iter().map(|acted| done(session, acted));
    let done = done.collect::<Result<Vec<_>, _>>()?;
    Ok(next(&terms.pre_cells, &done))
}

fn done(session: &Session, acted: &ActedBeforehand) -> Result<DoneBeforehand, EngineError> {
    let unreadable = |error| EngineError::Unusable(format!("an act in the journal cannot be read: {error}"));
    let act = serde_json::from_str(&session.text(&acted.act)?).map_err(unreadable)?;
    let outcome = match &acted.kept {
        Some(kept) => {
            serde_json::from_str::<CellRecord>(&session.text(&kept.record)?)
                .map_err(unreadable)?
                .outcome
        }
        None => CellOutcome::Done,
    };
    Ok(DoneBeforehand { act, outcome })
}

fn record(
    session: &mut Session,
    stage: Stage,
    index: u32,
    action: &Value,
    done: DoneAct,
) -> Result<(), EngineError> {
    session.record(Event::ActedBeforehand(Box::new(ActedBeforehand {
        stage,
        index,
        act: session.keep(action.to_string().as_bytes())?,
        observation: session.keep(done.observation.text.as_bytes())?,
        ok: done.observation.ok,
        kept: done.kept,
    })))
}
