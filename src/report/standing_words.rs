//! The reason for which a run has no verdict, and the command that goes on.

use crate::run::event::{Event, Record, Work};
use crate::run::standing::RunStanding;
use crate::run::state::State;

/// Both in sentences; `None` of a run that came to its end. `place` is the run's folder as a
/// person in the folder above names it.
pub fn stopped(state: &State, records: &[Record], place: &str) -> Option<String> {
    let sentence = RunStanding::from_state(state).without_verdict(place)?;
    let why = match records.last().map(|record| &record.event) {
        Some(Event::Interrupted { during, .. }) => Some(format!(
            "The last that its journal holds is a signal that stopped it {}.",
            amid(*during)
        )),
        _ => (state.halted.as_ref())
            .map(|halted| halted.detail.trim())
            .filter(|detail| !detail.is_empty())
            .map(|detail| format!("It says: {}.", detail.trim_end_matches('.'))),
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
