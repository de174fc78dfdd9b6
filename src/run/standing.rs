//! The standing of a run: going on, or ended, and by whose doing.

use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;

use super::decide::{Next, next, stops_run};
use super::event::StageEnd;
use super::state::State;

/// The standing of a run by its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStanding {
    /// The journal is empty or gone.
    NotBegun,
    /// Questions wait for a person.
    AwaitingApproval,
    /// Something stopped it in a stage, and it can go on.
    Halted { stage: Stage, cause: FailureCause },
    /// Under way, or cut off: in this stage, or between two.
    UnderWay(Option<Stage>),
    /// Over, through something that the agent could not help.
    EndedFromOutside { stage: Stage, cause: FailureCause },
    /// Over, and no result was asked for: its last stage is this.
    Partial(Stage),
    /// Over, well or by a failure of the agent's own.
    Ended,
}

impl RunStanding {
    /// The standing that follows from a state.
    pub fn from_state(state: &State) -> Self {
        let Some(started) = &state.started else {
            return Self::NotBegun;
        };
        if let Some(halted) = &state.halted {
            return Self::Halted {
                stage: halted.stage,
                cause: halted.cause,
            };
        }
        if !state.is_finished() {
            let waits = matches!(next(state, false), Next::Advance(_)) && !state.open_questions().is_empty();
            return match waits {
                true => Self::AwaitingApproval,
                false => Self::UnderWay(state.open()),
            };
        }
        let to = started.settings.stages.to;
        if state.track().is_before_result(to) {
            return Self::Partial(to);
        }
        match state.stages.keys().find_map(|stage| from_outside(state, *stage)) {
            Some((stage, cause)) => Self::EndedFromOutside { stage, cause },
            None => Self::Ended,
        }
    }

    /// Why the run has no verdict that could be right or wrong, with the way
    /// out; `place` is the run's folder as a person names it.
    pub fn without_verdict(&self, place: &str) -> Option<String> {
        let goes_on = format!("`reprise resume {place}` goes on");
        match self {
            Self::Ended => None,
            Self::NotBegun => Some(format!(
                "The run's journal is missing or empty, so nothing is known of what it did: bring journal.jsonl back, or \
                 begin it with `reprise resume {place}`."
            )),
            Self::AwaitingApproval => Some(format!(
                "The run has not ended, it waits for a person's answer: `reprise approve {place}` gives it, then {goes_on}."
            )),
            Self::Halted { stage, cause } => Some(format!(
                "The run has not ended, it was stopped in {stage} ({cause}): {goes_on}."
            )),
            Self::UnderWay(stage) => {
                let place =
                    stage.map_or_else(|| "between two stages".to_owned(), |stage| format!("in {stage}"));
                Some(format!(
                    "The run has not ended, it is under way or was cut off {place}: {goes_on}."
                ))
            }
            Self::EndedFromOutside { stage, cause } => Some(format!(
                "The run's {stage} stage ended by no doing of the agent's ({cause}): run the study again for a verdict."
            )),
            Self::Partial(to) => Some(format!(
                "The run was asked for its stages up to {to} alone: run the study to its end for a verdict."
            )),
        }
    }
}

/// A stage that was ended from outside, and the run's result with it. The
/// verdict is computed from the execution, so that a later end takes none away.
fn from_outside(state: &State, stage: Stage) -> Option<(Stage, FailureCause)> {
    match state.end_of(stage)? {
        end @ StageEnd::Failed { cause, .. } if !cause.is_agents() => {
            let track = state.track();
            let place = track.place(stage)?;
            let result = track.result_stage()?;
            let later = track.is_before(result, stage);
            (!later && stops_run(place.on_failure, end)).then_some((stage, *cause))
        }
        _ => None,
    }
}

/// Why what a stage has not done is not its failure; `None` where the stage
/// came to its own end.
pub fn not_reached(state: &State, stage: Stage) -> Option<String> {
    match state.end_of(stage) {
        None => Some(format!("the {stage} stage has not come to its end")),
        Some(StageEnd::Failed { cause, .. }) if !cause.is_agents() => Some(format!(
            "the {stage} stage was ended by no doing of the agent's ({cause})"
        )),
        Some(_) => None,
    }
}
