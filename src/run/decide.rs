//! The next effect of a run: a pure function of state.

use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::track::OnFailure;

use super::event::StageEnd;
use super::state::State;

/// The next thing for the engine to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Stage the workspace and start the journal.
    Begin,
    /// An execution was left open by a process that is gone.
    CloseInterrupted,
    /// Render a stage's prompts and start its conversation.
    StartStage(Stage),
    /// Carry a stage's conversation one step on.
    Advance(Stage),
    /// Run the approved code again on changed data.
    Probe,
    /// Every stage is over: have the run graded, and finish.
    Conclude,
    /// Nothing is left to do.
    Done,
}

/// Decides on a state; `fresh` says that this process has not written to the
/// journal yet, so that whatever is open belongs to a dead one.
pub fn next(state: &State, fresh: bool) -> Next {
    let Some(started) = &state.started else {
        return Next::Begin;
    };
    if state.is_finished() || (state.halted.is_some() && !fresh) {
        return Next::Done;
    }
    if fresh && state.executions.open().is_some() {
        return Next::CloseInterrupted;
    }
    let track = started.settings.track();
    for place in track.range(started.settings.stages) {
        match state.stages.get(&place.stage) {
            None if state.probes_due() => return Next::Probe,
            None => return Next::StartStage(place.stage),
            Some(open) => match &open.end {
                None => return Next::Advance(place.stage),
                Some(end) if stops_run(place.on_failure, end) => return Next::Conclude,
                Some(_) => {}
            },
        }
    }
    if state.probes_due() {
        return Next::Probe;
    }
    Next::Conclude
}

/// Whether the run ends with this stage although later ones were asked for.
pub fn stops_run(on_failure: OnFailure, end: &StageEnd) -> bool {
    match end {
        StageEnd::Failed { cause, .. } => on_failure.stops(*cause),
        StageEnd::Finished { .. } => false,
    }
}

/// A stage that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageFailure<'a> {
    pub stage: Stage,
    pub cause: FailureCause,
    pub detail: &'a str,
}

/// The stage whose failure ended the run, or that stopped it. One after
/// whose failure the run goes on counts only where nothing was to come after it.
pub fn failed_stage(state: &State) -> Option<StageFailure<'_>> {
    let last = state.started.as_ref().map(|started| started.settings.stages.to);
    if let Some(halted) = &state.halted {
        return Some(StageFailure {
            stage: halted.stage,
            cause: halted.cause,
            detail: &halted.detail,
        });
    }
    let goes_on = |stage: &Stage| {
        let place = state.track().place(*stage);
        place.is_some_and(|place| place.on_failure == OnFailure::GoOn)
    };
    state.stages.iter().find_map(|(stage, open)| match &open.end {
        Some(StageEnd::Failed { cause, detail }) if !goes_on(stage) || last == Some(*stage) => {
            Some(StageFailure {
                stage: *stage,
                cause: *cause,
                detail,
            })
        }
        _ => None,
    })
}
