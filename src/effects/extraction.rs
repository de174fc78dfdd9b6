//! The extraction's answer is completed by the claim and held against it.
//!
//! The review is pure: a resumed run and a replay come to the same words, and the
//! journal keeps what the model was told.

use serde_json::{Value, json};

use crate::agent::conversation::Conversation;
use crate::catalog::extraction::{self, ExtractionReview};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::run::event::Event;

use super::performer::Effects;
use super::reviewed::{OBJECTIONS, Reviewed, objections};

/// Whether a run's extraction is reviewed: runs of format 1 are replayed as they were.
pub fn checks_extraction(request: &RunRequest) -> bool {
    request.format >= 2
}

/// Reviews the answer of the extraction's last turn.
pub(super) fn review(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Conversation,
    answer: Value,
) -> Result<Reviewed, EngineError> {
    let claim = session
        .state
        .started
        .as_ref()
        .map(|started| started.claim.clone());
    let Some(claim) = claim.filter(|_| checks_extraction(&effects.request)) else {
        return Ok(Reviewed::stands(answer));
    };
    let ExtractionReview {
        objection,
        answer,
        mut notes,
    } = extraction::review(&claim, &answer);
    let Some(objection) = objection else {
        return Ok(Reviewed::Stands { answer, notes });
    };
    let position = conversation.position();
    let (stage, turn) = (position.stage, position.turn.saturating_sub(1));
    let state = session.state.stages.get(&stage);
    let told = state.map_or(0, objections);
    let reviewed = state.and_then(|state| state.turns.get(turn as usize)?.review.as_ref());
    let objects = reviewed.is_none() && told < OBJECTIONS && conversation.turns_left() > 0;
    let remark = objects.then(|| extraction::words(&objection));
    if reviewed.is_none() {
        let checks = json!({ "objection": objection }).to_string();
        session.record(Event::AnswerReviewed {
            stage,
            turn,
            checks: session.keep(checks.as_bytes())?,
            remark: remark
                .as_ref()
                .map(|remark| session.keep(remark.as_bytes()))
                .transpose()?,
        })?;
    }
    Ok(match remark {
        Some(remark) => {
            conversation.objected(&remark);
            Reviewed::Objected
        }
        None => {
            notes.push(format!(
                "The answer stands although it was objected to: {objection}"
            ));
            Reviewed::Stands { answer, notes }
        }
    })
}
