//! State of probes.

use crate::domain::probe::{ProbeRun, ProbeSummary};

/// The sub-runs that were made, and what they came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbeState {
    runs: Vec<ProbeRun>,
    pub summary: Option<ProbeSummary>,
}

impl ProbeState {
    /// False when that one was made before.
    pub fn add(&mut self, run: ProbeRun) -> bool {
        let first = self.runs.iter().all(|one| one.trial != run.trial);
        if first {
            self.runs.push(run);
        }
        first
    }

    /// The sub-runs, in the order in which they ended.
    pub fn runs(&self) -> &[ProbeRun] {
        &self.runs
    }
}
