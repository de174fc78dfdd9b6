//! The starts of the program that is a stage's agent.

use std::sync::Arc;

use crate::domain::stage::Stage;

use super::event::{CallRef, Change, ProgramLeft, ProgramObjection};
use super::program::{ProgramCallFailed, ProgramEnded, ProgramStarted};

/// One start of a program, and its end where that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramState {
    pub started: ProgramStarted,
    /// The calls of its stage that earlier starts had made.
    pub calls_before: usize,
    /// `None` while it runs, and of one whose engine was killed.
    pub ended: Option<ProgramEnded>,
    /// What it left in the stage's own copy of the workspace, where it had one.
    pub left: Option<ProgramLeft>,
    /// Why it is started again, where what it left does not do.
    pub objection: Option<ProgramObjection>,
}

impl ProgramState {
    /// A start of which nothing is known yet.
    pub fn new(started: ProgramStarted, calls_before: usize) -> Self {
        Self {
            started,
            calls_before,
            ended: None,
            left: None,
            objection: None,
        }
    }
}

/// A call of a program that got no answer, at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCallState {
    /// How often the program had been started by then.
    pub starts: usize,
    /// The calls of its stage that had been answered by then.
    pub calls_before: usize,
    pub failed: Arc<ProgramCallFailed>,
}

/// The rounds of a stage's starts: a new one begins behind each objection.
#[derive(Debug, Clone, Copy)]
pub struct ProgramRounds<'a>(pub &'a [ProgramState]);

impl<'a> ProgramRounds<'a> {
    /// The round of the next start, or of the one under way, from 0.
    pub fn current(self) -> u32 {
        let objected = self.0.iter().filter(|program| program.objection.is_some());
        u32::try_from(objected.count()).unwrap_or(u32::MAX)
    }

    /// The calls that were made before the current round began; `calls` are all that were made.
    pub fn calls_before_current(self, calls: usize) -> usize {
        match self.begins().last() {
            Some(begin) if begin.round == self.current() => begin.calls_before,
            _ if self.0.is_empty() => 0,
            _ => calls,
        }
    }

    /// The first start of each round.
    pub fn begins(self) -> impl Iterator<Item = RoundBegin> + 'a {
        let mut round = 0;
        let mut is_first = true;
        self.0.iter().filter_map(move |program| {
            let begin = is_first.then_some(RoundBegin {
                round,
                calls_before: program.calls_before,
            });
            is_first = program.objection.is_some();
            round += u32::from(is_first);
            begin
        })
    }

    /// How many starts there were by the end of each round.
    pub fn starts_by_round(self) -> Vec<usize> {
        let mut ends: Vec<usize> = (1..)
            .zip(self.0)
            .filter(|(_, program)| program.objection.is_some())
            .map(|(starts, _)| starts)
            .collect();
        if ends.last().is_none_or(|last| *last < self.0.len()) {
            ends.push(self.0.len());
        }
        ends
    }

    /// The files that its starts changed, in order, each before the execution of its round.
    pub fn changes(self) -> impl Iterator<Item = (CallRef, &'a Change)> {
        let mut round = 0;
        self.0.iter().flat_map(move |program| {
            let at = changed_in(program.started.stage, round);
            round += u32::from(program.objection.is_some());
            let changes = program.left.iter().flat_map(|left| &left.changes);
            changes.map(move |change| (at, change))
        })
    }
}

/// The beginning of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundBegin {
    pub round: u32,
    /// The calls of the stage that were made before it.
    pub calls_before: usize,
}

/// The place of what a program changed in a round.
fn changed_in(stage: Stage, round: u32) -> CallRef {
    CallRef {
        stage,
        turn: 0,
        call: round.saturating_mul(2).saturating_add(1),
    }
}

/// The place of what is executed at the end of a round, behind what was changed in it.
pub fn executed_in(stage: Stage, round: u32) -> CallRef {
    CallRef {
        stage,
        turn: 0,
        call: round.saturating_add(1).saturating_mul(2),
    }
}
