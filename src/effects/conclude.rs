//! The verdict: the preregistered rule applied to the numbers.

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::finding::Finding;
use crate::domain::stage::Stage;
use crate::domain::verdict::{Criterion, Outcome, Verdict};
use crate::engine::archive;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{Event, StageEnd};
use crate::run::state::State;
use crate::scoring::trace::Output;

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
        outcome,
        reason,
        criterion,
        finding,
        agent,
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
    let Some(finding) = focal(&criterion.focal_term, &findings) else {
        let (outcome, reason) = if findings.is_empty() {
            (Outcome::Inconclusive, "no finding was reported".to_owned())
        } else {
            let names: Vec<&str> = findings.iter().map(|finding| finding.name.as_str()).collect();
            let reason = format!(
                "none of the reported findings ({}) is about `{}`",
                names.join(", "),
                criterion.focal_term
            );
            (Outcome::NotComparable, reason)
        };
        return (outcome, reason, None);
    };
    if let Some(absent) = absent(&finding, outputs) {
        let reason = format!("the reported {absent} stands in no output of a successful execution");
        return (Outcome::Inconclusive, reason, Some(finding));
    }
    let (outcome, reason) = criterion.judge(&finding);
    (outcome, reason, Some(finding))
}

/// The number that decides and that no successful execution printed.
fn absent(finding: &Finding, outputs: &Output) -> Option<String> {
    let estimate = finding
        .estimate
        .filter(|estimate| outputs.find(*estimate).is_none());
    let p_value = finding
        .p_value
        .filter(|p_value| outputs.find_p(*p_value).is_none());
    estimate
        .map(|estimate| format!("estimate {estimate}"))
        .or_else(|| p_value.map(|p_value| format!("p-value ({p_value})")))
}

/// The finding about the focal term: named exactly so, else the only one whose
/// name holds the term as a word.
fn focal(term: &str, findings: &[Finding]) -> Option<Finding> {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '.'))
            .filter(|word| !word.is_empty())
            .map(ToOwned::to_owned)
            .collect()
    };
    let wanted = words(term);
    if let Some(exact) = findings.iter().find(|finding| words(&finding.name) == wanted) {
        return Some(exact.clone());
    }
    let holds = |finding: &&Finding| {
        let name = words(&finding.name);
        !wanted.is_empty() && name.windows(wanted.len()).any(|window| window == wanted)
    };
    let mut holding = findings.iter().filter(holds);
    match (holding.next(), holding.next()) {
        (Some(one), None) => return Some(one.clone()),
        // A term's main effect is named before its interactions and controls.
        (Some(first), Some(_)) if words(&first.name).first() == wanted.first() => return Some(first.clone()),
        _ => {}
    }
    None
}
