//! The extraction's answer is completed by the claim and held against it.
//!
//! The review is pure: a resumed run and a replay come to the same words, and the
//! journal keeps what the model was told.

use serde_json::Value;

use crate::agent::dialogue::Dialogue;
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
    conversation: &mut Dialogue,
    answer: Value,
) -> Result<Reviewed, EngineError> {
    let found = completed(effects, session, answer);
    match found.objection {
        Some(objection) => object(session, conversation, found.answer, objection),
        None => Ok(Reviewed::Stands {
            answer: found.answer,
            notes: found.notes,
        }),
    }
}

/// An extraction's answer, completed by the claim.
pub(super) struct CompletedExtraction {
    pub answer: Value,
    pub notes: Vec<String>,
    pub objection: Option<Objection>,
}

/// Completes an extraction's answer by the claim, and holds it against it.
pub(super) fn completed(effects: &Effects, session: &Session, answer: Value) -> CompletedExtraction {
    let started = session.state.started.as_ref();
    let claim = started.map(|started| started.claim.clone());
    let Some(claim) = claim.filter(|_| checks_answers(&effects.request)) else {
        return CompletedExtraction {
            answer,
            notes: Vec::new(),
            objection: None,
        };
    };
    let ExtractionReview {
        objection,
        answer,
        notes,
    } = extraction::review(&claim, &answer);
    let objection = objection.map(|detail| Objection {
        words: extraction::words(&detail),
        detail,
        notes: notes.clone(),
    });
    CompletedExtraction {
        answer,
        notes,
        objection,
    }
}
