//! What to do next: a pure function of state.

use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;

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
    /// Every stage is over: apply the preregistered rule and finish.
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
    if state.verdict.is_some() || (state.halted.is_some() && !fresh) {
        return Next::Done;
    }
    if fresh && state.executions.open().is_some() {
        return Next::CloseInterrupted;
    }
    for stage in started.settings.stages.stages() {
        match state.stages.get(&stage) {
            None => return Next::StartStage(stage),
            Some(open) => match &open.end {
                None => return Next::Advance(stage),
                Some(end) if stops_run(stage, end) => return Next::Conclude,
                Some(_) if stage == Stage::Execute && state.probes_due() => return Next::Probe,
                Some(_) => {}
            },
        }
    }
    Next::Conclude
}

/// Whether the run ends with this stage although later ones were asked for.
///
/// A failed search leaves the bundled data to work with. A failed execution is
/// still interpreted, so that the report says what went wrong, unless somebody
/// or something outside the agent's reach stopped it.
pub fn stops_run(stage: Stage, end: &StageEnd) -> bool {
    let StageEnd::Failed { cause, .. } = end else {
        return false;
    };
    match stage {
        Stage::Search => *cause == FailureCause::Cancelled,
        Stage::Execute => !cause.is_agents(),
        Stage::Extract | Stage::Design | Stage::Interpret => true,
    }
}

/// The stage whose failure ended the run, or that stopped it, with its cause. A failed search
/// counts only where nothing was to come after it.
pub fn failed_stage(state: &State) -> Option<(Stage, FailureCause, &str)> {
    let last = state.started.as_ref().map(|started| started.settings.stages.to);
    if let Some(halted) = &state.halted {
        return Some((halted.stage, halted.cause, halted.detail.as_str()));
    }
    state.stages.iter().find_map(|(stage, open)| match &open.end {
        Some(StageEnd::Failed { cause, detail })
            if *stage != Stage::Search || last == Some(Stage::Search) =>
        {
            Some((*stage, *cause, detail.as_str()))
        }
        _ => None,
    })
}
