//! The answers are held against their form, once, before they count.

use serde_json::Value;

use crate::agent::dialogue::Dialogue;
use crate::capsule::submission;
use crate::effects::objection::{Objection, object};
use crate::effects::reviewed::{Reviewed, objections};
use crate::engine::error::EngineError;
use crate::engine::session::Session;

/// Hands answers that are not in form back once; then they stand as they are.
///
/// # Errors
/// A journal that cannot be written.
pub fn review(
    session: &mut Session,
    conversation: &mut Dialogue,
    answer: Value,
) -> Result<Reviewed, EngineError> {
    let capsule = session
        .state
        .started
        .as_ref()
        .and_then(|started| started.capsule.as_ref());
    let Some(terms) = capsule else {
        return Ok(Reviewed::stands(answer));
    };
    let faults = submission::faults(&terms.questions, &answer);
    if faults.is_empty() {
        return Ok(Reviewed::stands(answer));
    }
    let detail = faults.join(" ");
    let stage = session.state.stages.get(&conversation.position().stage);
    let turn = conversation.position().turn.saturating_sub(1) as usize;
    let was_reviewed = stage
        .and_then(|stage| stage.turns.get(turn)?.review.as_ref())
        .is_some();
    if !was_reviewed && stage.map_or(0, objections) > 0 {
        let notes = vec![format!(
            "The answers count as they were handed in the second time. {detail}"
        )];
        return Ok(Reviewed::Stands { answer, notes });
    }
    let words = format!(
        "The answers were not taken as they are: {detail} Hand them in once more; then they count as they are."
    );
    object(
        session,
        conversation,
        answer,
        Objection {
            detail,
            words,
            notes: Vec::new(),
        },
    )
}
