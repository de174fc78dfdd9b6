//! How long a run has been at work.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::domain::stage::Stage;

use super::event::{DecidedBy, Event, Record};

/// Milliseconds at work: the time between events, without waits for a person
/// and without the time that no process carried the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elapsed {
    last: Option<Timestamp>,
    run: u64,
    stages: BTreeMap<Stage, u64>,
}

impl Elapsed {
    /// Takes in an event, before which the stage `open` was under way.
    pub fn pass(&mut self, record: &Record, open: Option<Stage>) {
        let idle = match &record.event {
            Event::Resumed { .. } => true,
            Event::Decided(decided) => decided.by == DecidedBy::Person,
            _ => false,
        };
        let passed = if idle { 0 } else { self.since(record.at) };
        self.run = self.run.saturating_add(passed);
        if let Some(stage) = open {
            let stage = self.stages.entry(stage).or_default();
            *stage = stage.saturating_add(passed);
        }
        self.last = Some(record.at);
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

    fn at(second: i64, event: Event) -> Record {
        Record {
            seq: 1,
            at: Timestamp::from_second(second).unwrap(),
            event,
        }
    }

    fn note() -> Event {
        Event::Resumed { note: String::new() }
    }

    #[test]
    fn the_time_that_nobody_worked_does_not_count() {
        let interrupted = || Event::ExecutionInterrupted {
            id: crate::domain::ids::ExecutionId(1),
        };
        let mut elapsed = Elapsed::default();
        elapsed.pass(&at(100, interrupted()), None);
        elapsed.pass(&at(110, interrupted()), Some(Stage::Design));
        elapsed.pass(&at(5000, note()), Some(Stage::Design));
        elapsed.pass(&at(5003, interrupted()), Some(Stage::Execute));
        let now = Timestamp::from_second(5005).unwrap();
        assert_eq!(elapsed.run(now), 15_000);
        assert_eq!(elapsed.stage(Stage::Execute, now), 5_000);
        assert_eq!(elapsed.stage(Stage::Search, now), 2_000);
        // A clock that runs backwards takes nothing away.
        assert_eq!(elapsed.run(Timestamp::from_second(1).unwrap()), 13_000);
    }
}
