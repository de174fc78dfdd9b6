//! The watch over a run that a client carries: what its calls came to, and what is under way.

use std::sync::{Mutex, PoisonError};

use crate::engine::watch::Watch;
use crate::run::event::Record;
use crate::run::state::State;
use crate::tools::contract::{CommandProgress, Observation};

/// Keeps what the client is told besides the words of its model.
#[derive(Debug, Default)]
pub struct ClientWatch {
    seen: Mutex<Option<SeenCall>>,
    under_way: Mutex<Option<String>>,
}

/// A call that was performed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenCall {
    pub tool: String,
    /// Whether it did what it was asked to do.
    pub ok: bool,
    pub command: Option<CommandProgress>,
}

impl ClientWatch {
    /// The call that was performed since this was last asked.
    pub fn take_seen(&self) -> Option<SeenCall> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What is under way that takes time, in words.
    pub fn under_way(&self) -> Option<String> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Watch for ClientWatch {
    fn recorded(&self, _: &Record, _: &State) {
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn observed(&self, tool: &str, observation: &Observation) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(SeenCall {
            tool: tool.to_owned(),
            ok: observation.ok,
            command: observation.command,
        });
    }

    // Lines may name folders of this machine, which are nothing to the client.
    fn line(&self, _: &str) {}

    fn under_way(&self, name: &str) {
        *self.under_way.lock().unwrap_or_else(PoisonError::into_inner) = Some(name.to_owned());
    }
}
