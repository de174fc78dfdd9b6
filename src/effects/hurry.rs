//! The wish of whoever waits for a call that it be left before its end.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::run::event::CallRef;
use crate::run::state::State;

/// Hurries calls under way. An act that can be left then comes back at once, and what it began goes on; an
/// execution is ended, and leaves nothing.
#[derive(Debug, Default)]
pub struct Hurry {
    token: Mutex<Option<CancellationToken>>,
    /// The executions that had finished in calls which a replayed run left.
    left: BTreeMap<CallRef, usize>,
}

impl Hurry {
    /// Leaves the executions of a replay where the run that is replayed left them.
    pub fn of_replay(state: &State) -> Self {
        let turns = state.stages.values().flat_map(|stage| &stage.turns);
        let left = turns.flat_map(|turn| turn.results.values().filter(|result| result.left));
        Self {
            token: Mutex::default(),
            left: left
                .map(|result| (result.at, state.executions.finished_in(result.at)))
                .collect(),
        }
    }

    /// Whether a call is left behind so many finished executions.
    pub fn leaves(&self, at: CallRef, finished: usize) -> bool {
        self.left.get(&at).is_some_and(|left| *left <= finished)
    }

    /// Begins a call, which is not hurried by what was said of an earlier one.
    pub fn begin(&self) {
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(CancellationToken::new());
    }

    /// Hurries the call that was begun last.
    pub fn hurry(&self) {
        if let Some(token) = self.token() {
            token.cancel();
        }
    }

    /// The token of the call that was begun last; `None` where nobody hurries.
    pub fn token(&self) -> Option<CancellationToken> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
