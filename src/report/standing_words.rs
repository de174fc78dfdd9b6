//! The reason why a run has no verdict, and the command that resumes it.

use crate::run::event::{Event, Record, Work};
use crate::run::standing::RunStanding;
use crate::run::state::State;

/// Both in sentences; `None` for a run that has ended. `place` is the run's folder as a
/// person in the folder above names it.
pub fn stopped(state: &State, records: &[Record], place: &str) -> Option<String> {
    let sentence = RunStanding::from_state(state).without_verdict(place)?;
    let why = match records.last().map(|record| &record.event) {
        Some(Event::Interrupted { during, .. }) => Some(format!(
            "The last event of its journal is a signal that stopped it {}.",
            amid(*during)
        )),
        _ => (state.halted.as_ref())
            .map(|halted| halted.detail.trim())
            .filter(|detail| !detail.is_empty())
            .map(|detail| format!("The reason: {}.", detail.trim_end_matches('.'))),
    };
    Some(match why {
        Some(why) => format!("{sentence} {why}"),
        None => sentence,
    })
}

fn amid(work: Work) -> &'static str {
    match work {
        Work::Model => "while a model was asked",
        Work::Build => "while the environment was made",
        Work::Execution => "while a command ran",
        Work::Engine => "between two calls",
    }
}
