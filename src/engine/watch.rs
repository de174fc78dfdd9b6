//! Who looks on while a run goes.

use crate::run::event::Record;
use crate::run::state::State;

/// Told of everything, decides nothing.
pub trait Watch: Send + Sync {
    /// An event is on disk and folded in.
    fn recorded(&self, record: &Record, state: &State);

    /// Something is under way that takes time.
    fn line(&self, text: &str);

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
