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
    let mut faults: Vec<String> = Vec::new();
    faults.extend(claim.or(other).or(term).map(|doubt| {
        format!(
            "{} If the plan measures something the other way round than the original, say in the criterion's \
             `reason` what is reversed; otherwise correct the rule.",
            doubt.detail
        )
    }));
    faults.extend(
        facts::unstaged(state, &info).map(|detail| format!("{detail} Name the files as they are staged.")),
    );
    let has_data = state
        .started
        .as_ref()
        .is_some_and(|started| !started.data.is_empty());
    faults.extend(without_rows(has_data, &info));
    if faults.is_empty() {
        return Ok(None);
    }
    let words = format!(
        "The plan was compared with the original's focal result, with its own lists and with the data. \
         The verdict would be left open:\n- {}\nCorrect this and give the whole answer again.",
        faults.join("\n- ")
    );
    Ok(Some(Objection {
        detail: faults.join(" "),
        words,
        notes: Vec::new(),
    }))
}

/// A plan for a study with data that does not say how many rows its model will use.
fn without_rows(has_data: bool, info: &ReplicationInfo) -> Option<String> {
    let has_rows = info.replication_study.data_used.expected_rows.number().is_some();
    (has_data && !has_rows).then(|| {
        "The plan does not say how many rows its focal model will use. Count them in the data and give the number \
         in `data_used.expected_rows`."
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plan_without_its_rows_is_sent_back_if_there_are_data() {
        let with = |rows: Value| -> ReplicationInfo {
            let study = json!({"data_used": {"expected_rows": rows}});
            serde_json::from_value(json!({ "replication_study": study })).unwrap()
        };
        for rows in [json!(573), json!("573"), json!("1,573")] {
            assert_eq!(without_rows(true, &with(rows.clone())), None, "{rows}");
        }
        for rows in [json!(null), json!("all complete rows"), json!("not stated")] {
            assert!(without_rows(true, &with(rows.clone())).is_some(), "{rows}");
            assert_eq!(without_rows(false, &with(rows)), None, "no data to count in");
        }
    }
}
