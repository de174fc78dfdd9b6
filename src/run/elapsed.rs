//! How long a run has been at work.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::stage::Stage;

use super::event::{DecidedBy, Event, Record};

/// Milliseconds at work: the time between events, without waits for a person
/// and without the time that no process carried the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elapsed {
    last: Option<Timestamp>,
    run: u64,
    provider: u64,
    person: u64,
    stopped: u64,
    stages: IndexMap<Stage, u64>,
}

/// Where the time of a run went, in milliseconds: the wall clock, and its parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// From the first event to the last.
    pub wall_ms: u64,
    /// The model, the tools, the sandbox and the engine at work.
    pub working_ms: u64,
    /// Between attempts at a model, and in line for it.
    pub provider_ms: u64,
    /// Until a person had answered.
    pub person_ms: u64,
    /// While no process carried the run, from its last event to its resumption.
    pub stopped_ms: u64,
}

impl Elapsed {
    /// Takes in an event, before which the stage `open` was under way.
    pub fn pass(&mut self, record: &Record, open: Option<Stage>) {
        let passed = self.since(record.at);
        let idle = match &record.event {
            Event::Resumed { .. } => Some(&mut self.stopped),
            Event::Decided(decided) if decided.by == DecidedBy::Person => Some(&mut self.person),
            _ => None,
        };
        let passed = match idle {
            Some(idle) => {
                *idle = idle.saturating_add(passed);
                0
            }
            None => passed,
        };
        // No wait is longer than the time in which it fell.
        let waited = match &record.event {
            Event::ModelAnswered { waiting, .. } => waiting.ms,
            Event::Halted(halted) => halted.waiting.ms,
            _ => 0,
        };
        self.provider = self.provider.saturating_add(waited.min(passed));
        self.run = self.run.saturating_add(passed);
        if let Some(stage) = open {
            let stage = self.stages.entry(stage).or_default();
            *stage = stage.saturating_add(passed);
        }
        self.last = Some(record.at);
    }

    /// The clocks as they stood at the last event. The parts add up to the whole.
    pub fn clocks(&self) -> Clocks {
        let wall = self.run.saturating_add(self.person).saturating_add(self.stopped);
        Clocks {
            wall_ms: wall,
            working_ms: self.run.saturating_sub(self.provider),
            provider_ms: self.provider,
            person_ms: self.person,
            stopped_ms: self.stopped,
        }
    }

    /// What the run has taken until `now`.
    pub fn run(&self, now: Timestamp) -> u64 {
        self.run.saturating_add(self.since(now))
    }

    /// What a stage under way has taken until `now`.
    pub fn stage(&self, stage: Stage, now: Timestamp) -> u64 {
        let before = self.stages.get(&stage).copied().unwrap_or_default();
        before.saturating_add(self.since(now))
    }

    fn since(&self, now: Timestamp) -> u64 {
        let passed = self.last.map(|last| now.duration_since(last).as_millis());
        passed.and_then(|passed| u64::try_from(passed).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::domain::failure::FailureCause;
    use crate::domain::ids::ApprovalId;
    use crate::domain::waiting::Waiting;
    use crate::run::event::{Decided, Halted};

    fn at(second: i64, event: Event) -> Record {
        Record {
            seq: 1,
            at: Timestamp::from_second(second).unwrap(),
            event,
        }
    }

    fn note() -> Event {
        Event::Resumed {
            note: String::new(),
            sampling: None,
        }
    }

    #[test]
    fn the_time_that_nobody_worked_does_not_count() {
        let interrupted = || Event::ExecutionInterrupted {
            id: crate::domain::ids::ExecutionId(1),
        };
        let mut elapsed = Elapsed::default();
        elapsed.pass(&at(100, interrupted()), None);
        elapsed.pass(&at(110, interrupted()), Some(Stage::DESIGN));
        elapsed.pass(&at(5000, note()), Some(Stage::DESIGN));
        elapsed.pass(&at(5003, interrupted()), Some(Stage::EXECUTE));
        let now = Timestamp::from_second(5005).unwrap();
        assert_eq!(elapsed.run(now), 15_000);
        assert_eq!(elapsed.stage(Stage::EXECUTE, now), 5_000);
        assert_eq!(elapsed.stage(Stage::SEARCH, now), 2_000);
        // A clock that runs backwards takes nothing away.
        assert_eq!(elapsed.run(Timestamp::from_second(1).unwrap()), 13_000);
    }

    #[test]
    fn the_clocks_tell_work_from_waits_and_add_up() {
        let halted = |ms| {
            Event::Halted(Halted {
                stage: Stage::DESIGN,
                cause: FailureCause::Infrastructure,
                detail: String::new(),
                waiting: Waiting { ms, retries: 1 },
            })
        };
        let decided = |by| {
            Event::Decided(Box::new(Decided {
                id: ApprovalId(1),
                digest: Digest::compute("x"),
                allowed: true,
                by,
                words: None,
            }))
        };
        let mut elapsed = Elapsed::default();
        for (second, event) in [
            (100, note()),
            (110, halted(4_000)),
            (150, note()),
            // More than passed: a clock that was set back in between, say.
            (152, halted(60_000)),
            (252, decided(DecidedBy::Person)),
            (253, decided(DecidedBy::Policy)),
        ] {
            elapsed.pass(&at(second, event), Some(Stage::DESIGN));
        }
        let clocks = elapsed.clocks();
        let expected = Clocks {
            wall_ms: 153_000,
            working_ms: 7_000,
            provider_ms: 6_000,
            person_ms: 100_000,
            stopped_ms: 40_000,
        };
        assert_eq!(clocks, expected);
        let parts = [
            clocks.working_ms,
            clocks.provider_ms,
            clocks.person_ms,
            clocks.stopped_ms,
        ];
        assert_eq!(parts.iter().sum::<u64>(), clocks.wall_ms);
    }
}
