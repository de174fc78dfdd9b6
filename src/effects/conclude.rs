//! The verdict: the preregistered rule applied to the numbers.

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::stage::Stage;
use crate::domain::verdict::{Outcome, Verdict};
use crate::engine::archive;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{Event, StageEnd};
use crate::run::state::State;
use crate::verdict::criteria::primary;
use crate::verdict::focal::{Unread, focal_result};
use crate::verdict::trace::Output;

/// Computes the verdict and finishes the run.
pub fn conclude(session: &mut Session) -> Result<(), EngineError> {
    let verdict = verdict(session)?;
    session.record(Event::RunFinished { verdict })
}

fn verdict(session: &Session) -> Result<Verdict, EngineError> {
    let (state, store) = (&session.state, session.store.as_ref());
    // The plan as it was when the design stage ended, not as mended since.
    let criterion =
        archive::answer::<ReplicationInfo>(state, store, Stage::Design)?.and_then(|info| info.criterion());
    let agent = archive::answer::<InterpretResults>(state, store, Stage::Interpret)?
        .and_then(|results| results.conclusion());
    let findings =
        archive::answer::<ExecutionResults>(state, store, Stage::Execute)?.map(|results| results.findings());
    let (outcome, reason, finding) = decide(
        state,
        criterion.as_ref(),
        findings,
        &archive::outputs(state, store)?,
    );
    Ok(Verdict {
        criterion: criterion.map(Box::new),
        finding,
        agent,
        ..Verdict::plain(outcome, reason)
    })
}

fn decide(
    state: &State,
    criterion: Option<&Criterion>,
    findings: Option<Vec<Finding>>,
    outputs: &Output,
) -> (Outcome, String, Option<Finding>) {
    let Some(criterion) = criterion else {
        let reason = match state.end_of(Stage::Design) {
            Some(StageEnd::Failed { cause, .. }) => {
                format!("no plan was preregistered (the design stage failed: {cause})")
            }
            Some(StageEnd::Finished { .. }) => "the preregistered plan names no usable criterion".to_owned(),
            None => "no plan was preregistered".to_owned(),
        };
        return (Outcome::Inconclusive, reason, None);
    };
    let Some(findings) = findings else {
        let reason = match state.end_of(Stage::Execute) {
            Some(StageEnd::Failed { cause, .. }) => format!("the execution gave no result (cause: {cause})"),
            _ => "the analysis was not executed".to_owned(),
        };
        return (Outcome::Inconclusive, reason, None);
    };
    if !state
        .executions
        .iter()
        .any(|one| one.finished.as_ref().is_some_and(|end| end.ending.ok()))
    {
        let reason = "no execution succeeded, so no number can be judged".to_owned();
        return (Outcome::Inconclusive, reason, None);
    }
    let finding = match focal_result(&criterion.focal_term, criterion.rule, &findings, outputs) {
        Ok(finding) => finding,
        Err(unread) => {
            let reason = unread.to_string();
            return match unread {
                Unread::NoFinding => (Outcome::Inconclusive, reason, None),
                Unread::OtherTerms { .. } => (Outcome::NotComparable, reason, None),
                Unread::NotPrinted { finding, .. } => (Outcome::Inconclusive, reason, Some(*finding)),
            };
        }
    };
    let (outcome, reason) = primary::judge(criterion, &finding);
    (outcome, reason, Some(finding))
}
