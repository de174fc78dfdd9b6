//! The time of each stage, divided by activity.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::ids::{ApprovalId, ExecutionId};
use crate::domain::stage::Stage;
use crate::run::elapsed::is_noted_later;
use crate::run::event::{DecidedBy, Event, Record, Work};

/// The activity of a stretch of time. Where two overlap, the later listed counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Tools, and whatever else the engine does itself.
    Engine,
    /// No process was at work between a stop and a resumption.
    Stopped,
    Model,
    Build,
    Execution,
    /// Waiting for a person's decision.
    Person,
}

impl Activity {
    const ALL: [Self; 6] = [
        Self::Engine,
        Self::Stopped,
        Self::Model,
        Self::Build,
        Self::Execution,
        Self::Person,
    ];
}

/// A stretch of time in milliseconds since the run's first event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub activity: Activity,
    pub from_ms: u64,
    pub to_ms: u64,
}

/// Milliseconds by activity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    pub model_ms: u64,
    pub person_ms: u64,
    pub build_ms: u64,
    pub execution_ms: u64,
    pub stopped_ms: u64,
    pub engine_ms: u64,
}

impl Shares {
    /// Adds a stretch of time.
    pub fn add(&mut self, activity: Activity, ms: u64) {
        let share = match activity {
            Activity::Engine => &mut self.engine_ms,
            Activity::Stopped => &mut self.stopped_ms,
            Activity::Model => &mut self.model_ms,
            Activity::Build => &mut self.build_ms,
            Activity::Execution => &mut self.execution_ms,
            Activity::Person => &mut self.person_ms,
        };
        *share = share.saturating_add(ms);
    }
}

/// The time of a stage, divided by what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTime {
    pub started: Timestamp,
    pub ended: Option<Timestamp>,
    /// Gapless, from the stage's start to its end or the journal's last event.
    pub spans: Vec<Span>,
}

impl StageTime {
    /// Milliseconds by activity; their sum is the stage's wall time.
    pub fn shares(&self) -> Shares {
        let mut shares = Shares::default();
        for span in &self.spans {
            shares.add(span.activity, span.to_ms.saturating_sub(span.from_ms));
        }
        shares
    }
}

/// Milliseconds from `from` to `to`; 0 where the clock went backwards.
pub fn between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond().saturating_sub(from.as_millisecond())).unwrap_or(0)
}

/// The times of every stage that has begun.
pub fn times(records: &[Record]) -> BTreeMap<Stage, StageTime> {
    let Some((first, last)) = records.first().zip(records.last()) else {
        return BTreeMap::new();
    };
    let since = |at: Timestamp| between(first.at, at);
    let busy = busy(records);
    let mut stages = BTreeMap::new();
    for record in records {
        match &record.event {
            Event::StageStarted { stage, .. } => {
                stages.entry(*stage).or_insert((record.at, None));
            }
            Event::StageEnded { stage, .. } => {
                if let Some((_, ended)) = stages.get_mut(stage) {
                    *ended = Some(record.at);
                }
            }
            _ => {}
        }
    }
    stages
        .into_iter()
        .map(|(stage, (started, ended))| {
            let (from, to) = (since(started), since(ended.unwrap_or(last.at)));
            let spans = sweep(&busy, from, to);
            (
                stage,
                StageTime {
                    started,
                    ended,
                    spans,
                },
            )
        })
        .collect()
}

/// Every stretch that a journal accounts for, in no order, overlaps included.
fn busy(records: &[Record]) -> Vec<Span> {
    let Some((first, last)) = records.first().zip(records.last()) else {
        return Vec::new();
    };
    let since = |at: Timestamp| between(first.at, at);
    let mut asked: BTreeMap<ApprovalId, u64> = BTreeMap::new();
    let mut running: BTreeMap<ExecutionId, u64> = BTreeMap::new();
    let mut spans = Vec::new();
    let mut before = 0;
    for (place, record) in records.iter().enumerate() {
        let at = since(record.at);
        let mut push = |activity, from_ms| {
            spans.push(Span {
                activity,
                from_ms,
                to_ms: at,
            });
        };
        match &record.event {
            Event::Resumed(_) => push(Activity::Stopped, before),
            Event::Paused { ms } => push(Activity::Stopped, before.max(at.saturating_sub(*ms))),
            Event::ModelAnswered { wall_ms, .. } => push(Activity::Model, at.saturating_sub(*wall_ms)),
            Event::Built { wall_ms, .. } => push(Activity::Build, at.saturating_sub(*wall_ms)),
            Event::Asked(question) => {
                asked.insert(question.id, at);
            }
            Event::Decided(decided) => {
                if let Some(from) = asked.remove(&decided.id)
                    && decided.by == DecidedBy::Person
                {
                    push(Activity::Person, from);
                }
            }
            Event::ExecutionStarted(started) => {
                running.insert(started.id, at);
            }
            Event::ExecutionFinished(finished) => {
                if let Some(from) = running.remove(&finished.id) {
                    push(Activity::Execution, from);
                }
            }
            Event::ExecutionInterrupted { id } => {
                if let Some(from) = running.remove(id) {
                    let resumption = |place: Option<usize>| {
                        let near = place.and_then(|place| records.get(place));
                        near.filter(|near| matches!(near.event, Event::Resumed(_)))
                    };
                    let noted_later = resumption(place.checked_add(1))
                        .is_some_and(|next| is_noted_later(record.at, next.at));
                    if noted_later {
                        push(Activity::Stopped, from);
                    } else if resumption(place.checked_sub(1)).is_none() {
                        push(Activity::Execution, from);
                    }
                }
            }
            Event::Interrupted { during, .. } => {
                let activity = match during {
                    Work::Model => Activity::Model,
                    Work::Build => Activity::Build,
                    // It ends with an event of its own.
                    Work::Execution | Work::Engine => Activity::Engine,
                };
                push(activity, before);
            }
            _ => {}
        }
        before = at;
    }
    let end = since(last.at);
    spans.extend(asked.into_values().map(|from_ms| Span {
        activity: Activity::Person,
        from_ms,
        to_ms: end,
    }));
    spans
}

/// Cuts overlapping stretches into a gapless row from `from` to `to`.
fn sweep(busy: &[Span], from: u64, to: u64) -> Vec<Span> {
    let mut edges: Vec<(u64, Activity, i32)> = Vec::new();
    for span in busy {
        let (start, end) = (span.from_ms.max(from), span.to_ms.min(to));
        if start < end {
            edges.push((start, span.activity, 1));
            edges.push((end, span.activity, -1));
        }
    }
    edges.sort_unstable_by_key(|(at, ..)| *at);
    let mut active = [0_i32; Activity::ALL.len()];
    let mut row: Vec<Span> = Vec::new();
    let mut at = from;
    for (edge, activity, change) in edges.into_iter().chain([(to, Activity::Engine, 0)]) {
        if at < edge {
            let current = Activity::ALL
                .into_iter()
                .rev()
                .find(|one| active[*one as usize] > 0)
                .unwrap_or(Activity::Engine);
            match row.last_mut() {
                Some(last) if last.activity == current => last.to_ms = edge,
                _ => row.push(Span {
                    activity: current,
                    from_ms: at,
                    to_ms: edge,
                }),
            }
            at = edge;
        }
        active[activity as usize] += change;
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_go_to_the_stronger_claim_and_the_row_has_no_gap() {
        let span = |activity, from_ms, to_ms| Span {
            activity,
            from_ms,
            to_ms,
        };
        let busy = [
            span(Activity::Model, 0, 50),
            span(Activity::Person, 40, 60),
            span(Activity::Stopped, 45, 80),
        ];
        assert_eq!(
            sweep(&busy, 10, 100),
            [
                span(Activity::Model, 10, 40),
                span(Activity::Person, 40, 60),
                span(Activity::Stopped, 60, 80),
                span(Activity::Engine, 80, 100),
            ]
        );
    }
}
