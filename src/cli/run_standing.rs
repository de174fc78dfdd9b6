//! The standing and the model of a run, in the words of the command line.

use crate::engine::run_reader::RunReader;
use crate::run::standing::RunStanding;
use crate::run::state::State;

/// The standing of a run.
pub fn words(state: &State) -> &'static str {
    match RunStanding::from_state(state) {
        RunStanding::NotBegun => "not begun",
        RunStanding::AwaitingApproval => "awaiting approval",
        RunStanding::Halted { .. } => "stopped; can be resumed",
        RunStanding::UnderWay(_) => "can be resumed",
        RunStanding::EndedFromOutside { .. } | RunStanding::Partial(_) | RunStanding::Ended => "finished",
    }
}

/// The model that a run is of, as it was begun where it has begun.
pub fn model(run: &RunReader) -> String {
    match run.state.model() {
        Some(model) => model,
        None => run.request.model.clone(),
    }
}
