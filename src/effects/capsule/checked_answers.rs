//! Answers that code checks before they are taken: their form, and that their agent was shown what it
//! answers.

use serde_json::Value;

use crate::agent::dialogue::Dialogue;
use crate::capsule::answer_check::{Looks, ShownNumbers, faults};
use crate::effects::objection::{Objection, object};
use crate::effects::reviewed::Reviewed;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::stage_state::StageState;
use crate::tools::{look_at_image, submit};

/// Hands answers that do not pass back, at most twice and never twice for the same; then they stand as
/// they are.
///
/// # Errors
/// A blob that cannot be read, or a journal that cannot be written.
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
    let stage = session.state.stages.get(&conversation.position().stage);
    let Some((terms, stage)) = capsule.zip(stage) else {
        return Ok(Reviewed::stands(answer));
    };
    let faults = faults(&terms.questions, &answer, &shown(session, stage)?, looks(stage));
    if faults.is_empty() {
        return Ok(Reviewed::stands(answer));
    }
    let detail = faults.join(" ");
    // An agent that hands in the same for a reason of its own is not asked again.
    let turn = conversation.position().turn.saturating_sub(1) as usize;
    let mut before = stage
        .turns
        .iter()
        .take(turn)
        .filter_map(|turn| turn.review.as_ref());
    let was_told = before.try_fold(false, |told, review| -> Result<bool, EngineError> {
        let checks: Value = serde_json::from_str(&session.text(&review.checks)?).unwrap_or_default();
        Ok(told || checks["objection"] == detail.as_str())
    })?;
    if was_told {
        let notes = vec![format!(
            "The answers count as they were handed in again. {detail}"
        )];
        return Ok(Reviewed::Stands { answer, notes });
    }
    let words = format!(
        "The answers were not taken as they are: {detail} Mend what can be mended, and hand all of them in again; \
         handed in as they are, they count."
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

/// The numbers of everything that the tools have told.
fn shown(session: &Session, stage: &StageState) -> Result<ShownNumbers, EngineError> {
    let mut shown = ShownNumbers::default();
    let results = stage.turns.iter().flat_map(|turn| turn.results.values());
    for result in results.filter(|result| result.tool != submit::NAME) {
        shown.read(&session.text(&result.observation)?);
    }
    Ok(shown)
}

fn looks(stage: &StageState) -> Looks {
    if !stage.tools.iter().any(|tool| tool == look_at_image::NAME) {
        return Looks::Impossible;
    }
    let results = stage.turns.iter().flat_map(|turn| turn.results.values());
    Looks::Answered(
        results
            .filter(|result| result.ok && result.looked.is_some())
            .count(),
    )
}
