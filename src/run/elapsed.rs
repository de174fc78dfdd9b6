//! Elapsed time of a run, by what it was spent on.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::stage::Stage;

use super::event::{DecidedBy, Event, Record};

/// The most milliseconds between the two events with which versions before this one began
/// to resume a run whose process had died amid an execution: the execution's end, and the
/// resumption. Where a signal had ended it, a new process came between the two.
const ONE_PROCESS: u64 = 100;

/// Whether an interruption of an execution was journaled by the process that resumed the
/// run after it: how long the execution had run before is then not known.
pub fn is_noted_later(interrupted: Timestamp, resumed: Timestamp) -> bool {
    let between = resumed.duration_since(interrupted).as_millis();
    u64::try_from(between).is_ok_and(|between| between <= ONE_PROCESS)
}

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
    interrupted: Option<InterruptedTime>,
}

/// The time before the last event, where that was the interruption of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InterruptedTime {
    at: Timestamp,
    passed: u64,
    stage: Option<Stage>,
}

/// The times of a run in milliseconds: the wall clock, and its parts.
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
        self.take_back_stop(record);
        let passed = self.since(record.at);
        if matches!(record.event, Event::ExecutionInterrupted { .. }) {
            self.interrupted = Some(InterruptedTime {
                at: record.at,
                passed,
                stage: open,
            });
        }
        let passed = match &record.event {
            Event::Paused { ms } => {
                let paused = passed.min(*ms);
                self.stopped = self.stopped.saturating_add(paused);
                passed - paused
            }
            _ => passed,
        };
        let idle = match &record.event {
            Event::Resumed(_) | Event::Extended { .. } => Some(&mut self.stopped),
            Event::Decided(decided) if decided.by == DecidedBy::Person => Some(&mut self.person),
            Event::ModelAnswered { author: Some(_), .. } => Some(&mut self.person),
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
            Event::Interrupted { waiting, .. } => waiting.ms,
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

    /// What was counted as work up to an interruption counts as a stop, where the process
    /// that resumes the run is the one that noted it.
    fn take_back_stop(&mut self, record: &Record) {
        let Some(interrupted) = self.interrupted.take() else {
            return;
        };
        if !matches!(record.event, Event::Resumed(_)) || !is_noted_later(interrupted.at, record.at) {
            return;
        }
        self.run = self.run.saturating_sub(interrupted.passed);
        self.stopped = self.stopped.saturating_add(interrupted.passed);
        if let Some(stage) = interrupted.stage.and_then(|stage| self.stages.get_mut(&stage)) {
            *stage = stage.saturating_sub(interrupted.passed);
        }
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

    /// Milliseconds from the last event until `now`.
    pub fn since(&self, now: Timestamp) -> u64 {
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
    use crate::run::event::{Decided, Halted, Resumption};

    fn at(second: i64, event: Event) -> Record {
        Record {
            seq: 1,
            at: Timestamp::from_second(second).unwrap(),
            event,
        }
    }

    fn note() -> Event {
        Event::Resumed(Resumption::default())
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
    fn a_stop_amid_an_execution_is_no_work_whoever_noted_it() {
        let interrupted = || Event::ExecutionInterrupted {
            id: crate::domain::ids::ExecutionId(1),
        };
        let clocks = |events: Vec<(i64, Event)>| {
            let mut elapsed = Elapsed::default();
            for (second, event) in events {
                elapsed.pass(&at(second, event), Some(Stage::EXECUTE));
            }
            let stage = elapsed.stages.get(&Stage::EXECUTE).copied();
            (
                stage.unwrap_or_default(),
                elapsed.run,
                elapsed.clocks().stopped_ms,
            )
        };
        let begun = || (100, note());
        // As it is journaled, and as versions before this one did.
        let first = vec![
            begun(),
            (9000, note()),
            (9000, interrupted()),
            (9002, interrupted()),
        ];
        assert_eq!(clocks(first), (2_000, 2_000, 8_900_000));
        let later = vec![
            begun(),
            (9000, interrupted()),
            (9000, note()),
            (9002, interrupted()),
        ];
        assert_eq!(clocks(later), (2_000, 2_000, 8_900_000));
        // A signal ended the execution, and the run was resumed a second later.
        let by_signal = vec![begun(), (130, interrupted()), (131, note())];
        assert_eq!(clocks(by_signal), (30_000, 30_000, 1_000));
        let stopped = Event::Interrupted {
            during: crate::run::event::Work::Execution,
            waiting: Waiting::default(),
        };
        let by_signal = vec![begun(), (130, interrupted()), (130, stopped), (130, note())];
        assert_eq!(clocks(by_signal), (30_000, 30_000, 0));
    }

    #[test]
    fn what_a_signal_cut_short_counts_as_what_it_was() {
        let mut elapsed = Elapsed::default();
        let stopped = Event::Interrupted {
            during: crate::run::event::Work::Model,
            waiting: Waiting {
                ms: 20_000,
                retries: 2,
                ..Waiting::default()
            },
        };
        for (second, event) in [(100, note()), (130, stopped), (900, note())] {
            elapsed.pass(&at(second, event), Some(Stage::DESIGN));
        }
        let clocks = elapsed.clocks();
        let told = (clocks.working_ms, clocks.provider_ms, clocks.stopped_ms);
        assert_eq!(told, (10_000, 20_000, 770_000));
    }

    #[test]
    fn a_machine_that_slept_was_not_at_work() {
        let mut elapsed = Elapsed::default();
        for (second, event) in [
            (100, note()),
            (102, Event::Paused { ms: 0 }),
            (86_502, Event::Paused { ms: 86_390_000 }),
            (86_502, note()),
        ] {
            elapsed.pass(&at(second, event), Some(Stage::DESIGN));
        }
        let clocks = elapsed.clocks();
        assert_eq!((clocks.working_ms, clocks.stopped_ms), (12_000, 86_390_000));
        assert_eq!(
            elapsed.stage(Stage::DESIGN, Timestamp::from_second(86_502).unwrap()),
            12_000
        );
    }

    #[test]
    fn the_clocks_tell_work_from_waits_and_add_up() {
        let halted = |ms| {
            Event::Halted(Halted {
                stage: Stage::DESIGN,
                cause: FailureCause::Infrastructure,
                detail: String::new(),
                waiting: Waiting {
                    ms,
                    retries: 1,
                    ..Waiting::default()
                },
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
