//! Known faults of old code in failed executions, and the mends that were made.

use serde::{Deserialize, Serialize};

use crate::domain::rescue::{KnownFault, Mend, ProposedMends, RescueFindings};
use crate::run::event::Snapshot;
use crate::run::execution_state::ExecutionState;

use super::text::{Loader, STREAM, Text};

/// The known faults of one execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RescueView {
    /// The version of the table of messages.
    pub table: u32,
    pub faults: Vec<KnownFault>,
    pub proposed: Option<ProposedView>,
}

/// Mends that change no result, proposed for a script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposedView {
    pub mends: Vec<Mend>,
    pub diff: Text,
    /// True if a later execution found the script mended so.
    pub made: bool,
}

/// The most of a list of files that is looked through, in bytes.
const SNAPSHOT: usize = 64 << 20;

impl RescueView {
    /// The findings of `state`; `later` are the executions behind it.
    pub fn new<'a>(
        state: &ExecutionState,
        later: impl Iterator<Item = &'a ExecutionState>,
        loader: &Loader<'_>,
    ) -> Option<Self> {
        let RescueFindings {
            table,
            faults,
            proposed,
            ..
        } = state.finished.as_ref()?.rescue.as_ref()?;
        let of = |what: &str| format!("The {what} of execution {}", state.started.id);
        let made = |proposed: &ProposedMends| {
            later.into_iter().any(|one| {
                let files = loader.text(&one.started.before, SNAPSHOT, &of("list of files after that"));
                serde_json::from_str::<Snapshot>(&files.text).is_ok_and(|found| {
                    let mended = |file: &crate::run::event::FileRecord| {
                        file.path == state.started.path && file.digest == proposed.mended
                    };
                    found.files.iter().any(mended)
                })
            })
        };
        Some(Self {
            table: *table,
            faults: faults.clone(),
            proposed: proposed.as_ref().map(|proposed| ProposedView {
                mends: proposed.mends.clone(),
                diff: loader.text(&proposed.diff, STREAM, &of("proposed fix")),
                made: made(proposed),
            }),
        })
    }

    /// The mends that were made, in a sentence.
    pub fn note(&self, script: &str) -> Option<String> {
        let made = self.proposed.as_ref().filter(|proposed| proposed.made)?;
        let mends: Vec<String> = made
            .mends
            .iter()
            .map(|mend| format!("{} ({})", mend.id, mend.risk))
            .collect();
        Some(format!(
            "{script} was repaired, by version {} of the table of old code: {}.",
            self.table,
            mends.join(", ")
        ))
    }
}
