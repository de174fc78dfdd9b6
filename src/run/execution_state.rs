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
    /// Whether its call was left before its plan was carried out: it came to nothing.
    pub left: bool,
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
            left: false,
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

    /// Leaves a call behind before its plan was carried out.
    pub fn leave(&mut self, at: CallRef) {
        for execution in self.main.iter_mut().filter(|one| one.started.at == at) {
            execution.left = true;
        }
    }

    /// Whether a call was left before its plan was carried out.
    pub fn was_left(&self, at: CallRef) -> bool {
        self.main.iter().any(|one| one.started.at == at && one.left)
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

    /// The number of finished executions of one call's main analysis.
    pub fn finished_in(&self, at: CallRef) -> usize {
        let finished = |one: &&ExecutionState| one.started.at == at && one.finished.is_some();
        self.main.iter().filter(finished).count()
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

    /// The last call that was not left, of which every command that ran ended well.
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
            .find(|at| !self.was_left(*at) && all_well(*at))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::Content;
    use crate::domain::digest::Digest;
    use crate::domain::execution::{Ending, Opened};
    use crate::domain::stage::Stage;

    fn text() -> Content {
        Content::Inline { text: String::new() }
    }

    fn call(turn: u32) -> CallRef {
        CallRef {
            stage: Stage::EXECUTE,
            turn,
            call: 0,
        }
    }

    fn started(id: u32, at: CallRef, entry: u32) -> ExecutionStarted {
        ExecutionStarted {
            id: ExecutionId(id),
            at,
            entry,
            variant: None,
            path: "work/a.py".parse().unwrap(),
            command: Vec::new(),
            digest: Digest::compute([]),
            before: text(),
        }
    }

    fn ended_well(id: u32) -> ExecutionFinished {
        ExecutionFinished {
            id: ExecutionId(id),
            ending: Ending::Exited(0),
            stdout: text(),
            stderr: text(),
            stdout_bytes: 0,
            stderr_bytes: 0,
            opened: Opened::default(),
            outputs: Vec::new(),
            further: None,
            unread: None,
            wall_ms: 0,
            peak_memory: None,
            notes: Vec::new(),
            rescue: None,
        }
    }

    #[test]
    fn a_call_that_was_left_comes_to_nothing_although_its_first_command_ended_well() {
        let mut executions = Executions::default();
        executions.start(started(1, call(0), 0));
        assert!(executions.finish(ended_well(1)));
        assert_eq!(executions.last_success(), Some(call(0)));
        // The second call ends its first command, and is left within the second one.
        executions.start(started(2, call(1), 0));
        assert!(executions.finish(ended_well(2)));
        executions.start(started(3, call(1), 1));
        assert!(executions.interrupt(ExecutionId(3)));
        assert_eq!(executions.last_success(), Some(call(1)));
        executions.leave(call(1));
        assert!(executions.was_left(call(1)) && !executions.was_left(call(0)));
        assert_eq!(executions.last_success(), Some(call(0)));
        assert_eq!(executions.finished_in(call(1)), 1);
    }
}
