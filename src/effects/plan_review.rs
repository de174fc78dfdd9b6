//! The plan's rule is held against the original's focal result and against the
//! plan's own lists, and these against the data, before it is fixed.
//!
//! The review is pure, as that of the extraction is.

use serde_json::Value;

use crate::agent::dialogue::Dialogue;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::facts;
use crate::engine::run_reader;
use crate::engine::session::Session;
use crate::verdict::{claimed, planned_model};

use super::context::Effects;
use super::extraction::checks_answers;
use super::objection::{Objection, object};
use super::reviewed::Reviewed;

/// Reviews the answer of the design stage's last turn.
pub(super) fn review(
    effects: &Effects,
    session: &mut Session,
    conversation: &mut Dialogue,
    answer: Value,
) -> Result<Reviewed, EngineError> {
    match objection(effects, session, &answer)? {
        Some(objection) => object(session, conversation, answer, objection),
        None => Ok(Reviewed::stands(answer)),
    }
}

/// What is to be said against a plan; `None` where nothing is.
pub(super) fn objection(
    effects: &Effects,
    session: &Session,
    answer: &Value,
) -> Result<Option<Objection>, EngineError> {
    let info = serde_json::from_value::<ReplicationInfo>(answer.clone()).ok();
    let Some(info) = info.filter(|_| checks_answers(&effects.request)) else {
        return Ok(None);
    };
    let Some(criterion) = info.criterion() else {
        return Ok(None);
    };
    let (state, store) = (&session.state, session.store.as_ref());
    let original = run_reader::answer::<PostRegistration>(state, store, Stage::EXTRACT)?
        .and_then(|registered| registered.original_findings().into_iter().next());
    let fixed = state
        .started
        .as_ref()
        .and_then(|started| started.claim.criterion.clone());
    let claim = claimed::doubt(&criterion, fixed.as_ref(), original.as_ref()).filter(|doubt| doubt.decides);
    let other = claimed::other_original(&criterion, facts::published(state).as_ref());
    let term = planned_model::focal_term(&criterion, &facts::plan_words(Some(&info)));
    let (detail, advice) = match (claim.or(other).or(term), facts::unstaged(state, &info)) {
        (Some(doubt), _) => (
            doubt.detail,
            "Where the plan measures something the other way round than the original, say in the criterion's `reason` \
             what is reversed; else correct the rule.",
        ),
        (None, Some(detail)) => (detail, "Name the files as they are staged."),
        (None, None) => return Ok(None),
    };
    let words = format!(
        "The plan was held against the original's focal result, against its own lists and against the data:\n- {detail} \
         The verdict would be left open. {advice}\nThen give the whole answer again."
    );
    Ok(Some(Objection {
        detail,
        words,
        notes: Vec::new(),
    }))
}
