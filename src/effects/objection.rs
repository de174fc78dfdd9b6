//! Handing an answer back to the model that gave it, at most twice.

use serde_json::{Value, json};

use crate::agent::dialogue::Dialogue;
use crate::engine::error::EngineError;
use crate::engine::session::Session;

use super::reviewed::{OBJECTIONS, Reviewed, objections, record};

/// An objection to an answer.
pub(super) struct Objection {
    /// For the journal and the notes.
    pub detail: String,
    /// For the model.
    pub words: String,
    /// What a reader should know of the answer besides.
    pub notes: Vec<String>,
}

/// Hands the answer back where that may help still; else it stands, with a note.
pub(super) fn object(
    session: &mut Session,
    conversation: &mut Dialogue,
    answer: Value,
    objection: Objection,
) -> Result<Reviewed, EngineError> {
    let Objection {
        detail,
        words,
        mut notes,
    } = objection;
    let position = conversation.position();
    let (stage, turn) = (position.stage, position.turn.saturating_sub(1));
    let state = session.state.stages.get(&stage);
    let told = state.map_or(0, objections);
    let reviewed = state.and_then(|state| state.turns.get(turn as usize)?.review.as_ref());
    let objects = reviewed.is_none() && told < OBJECTIONS && conversation.turns_left() > 0;
    let remark = objects.then_some(words);
    if reviewed.is_none() {
        let checks = json!({ "objection": detail }).to_string();
        record(session, stage, turn, &checks, remark.as_deref())?;
    }
    Ok(match remark {
        Some(remark) => {
            conversation.objected(&remark);
            Reviewed::Objected
        }
        None => {
            notes.push(format!("The answer stands although it was objected to: {detail}"));
            Reviewed::Stands { answer, notes }
        }
    })
}
