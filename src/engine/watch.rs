//! The watch over a run: whoever is told of its events as it goes.

use std::time::Duration;

use crate::run::event::Record;
use crate::run::state::State;
use crate::tools::contract::Observation;

/// Told of everything, decides nothing.
pub trait Watch: Send + Sync {
    /// An event is on disk and folded in.
    fn recorded(&self, record: &Record, state: &State);

    /// A tool has returned this, which is on disk in a moment.
    fn observed(&self, _tool: &str, _observation: &Observation) {}

    /// Something is under way that takes time.
    fn line(&self, text: &str);

    /// Something with a name begins that takes time; its end is an event.
    fn under_way(&self, _name: &str) {}

    /// Whether anybody wants to see answers arrive; else they are not streamed.
    fn wants_streams(&self) -> bool {
        false
    }

    /// More of an answer has arrived: bytes so far.
    fn arriving(&self, _bytes: usize) {}

    /// So long the provider is left alone before it is asked again; said every
    /// second, and with nothing left at the end.
    fn waiting(&self, _left: Duration, _why: &str) {}

    /// What is under way goes on; said every few seconds.
    fn alive(&self, _text: &str) {}
}

/// Looks away.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn recorded(&self, _: &Record, _: &State) {}

    fn line(&self, _: &str) {}
}
