//! The verdict: the preregistered rule applied to the numbers.

use crate::artifacts::store::Store;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::stage::Stage;
use crate::domain::verdict::{Outcome, Verdict};
use crate::engine::archive;
use crate::engine::error::EngineError;
use crate::engine::facts::RunFacts;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::run::state::State;
use crate::verdict::decide;

/// Computes the verdict and finishes the run.
pub fn conclude(session: &mut Session) -> Result<(), EngineError> {
    let verdict = verdict(&session.state, session.store.as_ref())?;
    session.record(Event::RunFinished { verdict })
}

/// The verdict by the rules of this version on what a journal holds.
pub fn verdict(state: &State, store: &dyn Store) -> Result<Verdict, EngineError> {
    let facts = RunFacts::gather(state, store)?;
    let agent = archive::answer::<InterpretResults>(state, store, Stage::Interpret)?
        .and_then(|results| results.conclusion());
    Ok(Verdict {
        agent,
        ..decided(&facts)
    })
}

fn decided(facts: &RunFacts) -> Verdict {
    let nothing = |reason: String| Verdict {
        criterion: facts.criterion.clone().map(Box::new),
        cause: Some(DoubtCause::NothingRun),
        doubts: vec![Doubt::deciding(DoubtCause::NothingRun, reason.clone())],
        ..Verdict::plain(Outcome::Inconclusive, reason)
    };
    let Some(criterion) = &facts.criterion else {
        return nothing(match facts.design_failed {
            Some(cause) => format!("no plan was preregistered (the design stage failed: {cause})"),
            None if facts.designed => "the preregistered plan names no usable criterion".to_owned(),
            None => "no plan was preregistered".to_owned(),
        });
    };
    if facts.reported.is_none() {
        return nothing(match facts.execute_failed {
            Some(cause) => format!("the execution gave no result (cause: {cause})"),
            None => "the analysis was not executed".to_owned(),
        });
    }
    if !facts.ran {
        return nothing("no execution succeeded, so no number can be judged".to_owned());
    }
    decide::decide(&facts.facts(criterion, &[], false))
}
