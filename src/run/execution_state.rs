//! State of builds and executions.

use std::collections::BTreeMap;

use crate::domain::ids::ExecutionId;

use super::event::{CallRef, ExecutionFinished, ExecutionStarted};

/// One command, from its start to whatever end it had.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionState {
    pub started: ExecutionStarted,
    pub finished: Option<ExecutionFinished>,
    pub interrupted: bool,
}

impl ExecutionState {
    /// Started, and neither finished nor known to be interrupted.
    pub fn is_open(&self) -> bool {
        self.finished.is_none() && !self.interrupted
    }
}

/// The executions of a run, oldest first: those of the main analysis, and apart
/// from them those of variants, which nothing but their own display looks at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Executions {
    main: Vec<ExecutionState>,
    variants: Vec<ExecutionState>,
}

impl Executions {
    pub fn start(&mut self, started: ExecutionStarted) {
        let executions = match started.variant {
            None => &mut self.main,
            Some(_) => &mut self.variants,
        };
        executions.push(ExecutionState {
            started,
            finished: None,
            interrupted: false,
        });
    }

    /// False when no such execution is open.
    pub fn finish(&mut self, finished: ExecutionFinished) -> bool {
        self.open_mut(finished.id)
            .map(|execution| execution.finished = Some(finished))
            .is_some()
    }

    /// False when no such execution is open.
    pub fn interrupt(&mut self, id: ExecutionId) -> bool {
        self.open_mut(id)
            .map(|execution| execution.interrupted = true)
            .is_some()
    }

    fn open_mut(&mut self, id: ExecutionId) -> Option<&mut ExecutionState> {
        let all = self.main.iter_mut().chain(&mut self.variants);
        all.rev()
            .find(|execution| execution.started.id == id && execution.is_open())
    }

    /// Those of the main analysis.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &ExecutionState> {
        self.main.iter()
    }

    /// Those of variants.
    pub fn variants(&self) -> impl DoubleEndedIterator<Item = &ExecutionState> {
        self.variants.iter()
    }

    /// The execution that a dead process left open.
    pub fn open(&self) -> Option<&ExecutionState> {
        let all = self.main.iter().chain(&self.variants);
        all.rev().find(|execution| execution.is_open())
    }

    /// The finished execution of one entry of one call's main analysis.
    pub fn finished(&self, at: CallRef, entry: u32) -> Option<&ExecutionState> {
        self.main.iter().rev().find(|execution| {
            execution.started.at == at && execution.started.entry == entry && execution.finished.is_some()
        })
    }

    /// What finished of a variant in one call, by entry: of an entry that ran more
    /// than once, its last execution.
    pub fn for_variant<'a>(&'a self, at: CallRef, name: &str) -> BTreeMap<u32, &'a ExecutionState> {
        let own = |one: &&ExecutionState| {
            one.started.at == at && one.started.variant.as_deref() == Some(name) && one.finished.is_some()
        };
        let finished = self.variants.iter().filter(own);
        finished.map(|one| (one.started.entry, one)).collect()
    }

    /// The last call of which every command that ran ended well.
    pub fn last_success(&self) -> Option<CallRef> {
        let all_well = |at: CallRef| {
            let mut of_call = self
                .main
                .iter()
                .filter(|one| one.started.at == at && !one.interrupted);
            of_call.all(|one| one.finished.as_ref().is_some_and(|end| end.ending.ok()))
        };
        self.main
            .iter()
            .rev()
            .filter(|one| one.finished.is_some())
            .map(|one| one.started.at)
            .find(|at| all_well(*at))
    }

    /// The id of the next execution. An interrupted one left nothing behind,
    /// and the one that takes its place has its id.
    pub fn next_id(&self) -> ExecutionId {
        let last = self
            .main
            .iter()
            .chain(&self.variants)
            .filter(|execution| !execution.interrupted)
            .map(|execution| execution.started.id.0);
        ExecutionId(last.max().unwrap_or(0).saturating_add(1))
    }
}
