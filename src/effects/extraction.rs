//! The extraction's answer is completed by the claim and held against it.
//!
//! The review is pure: a resumed run and a replay come to the same words, and the
//! journal keeps what the model was told.

use serde_json::Value;

use crate::agent::conversation::Conversation;
use crate::catalog::extraction::{self, ExtractionReview};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;

use super::context::Effects;
use super::objection::{Objection, object};
use super::reviewed::Reviewed;

/// Whether extraction and plan are reviewed: runs of format 1 are replayed as they were.
pub fn checks_answers(request: &RunRequest) -> bool {
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
    let Some(claim) = claim.filter(|_| checks_answers(&effects.request)) else {
        return Ok(Reviewed::stands(answer));
    };
    let ExtractionReview {
        objection,
        answer,
        notes,
    } = extraction::review(&claim, &answer);
    let Some(objection) = objection else {
        return Ok(Reviewed::Stands { answer, notes });
    };
    let words = extraction::words(&objection);
    let objection = Objection {
        detail: objection,
        words,
        notes,
    };
    object(session, conversation, answer, objection)
}
