//! A stage of a run as its report shows it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::run::event::{Record, StageEnd};
use crate::run::stage_state::StageState;
use crate::run::state::State;

use super::evidence::Evidence;
use super::spending::Spending;
use super::timeline::{Shares, Span, StageTime, times};

/// One stage that has begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageView {
    pub stage: Stage,
    pub group: String,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Milliseconds to the stage's end, or to the journal's last event.
    pub wall_ms: u64,
    pub turns: u64,
    pub calls: u64,
    /// Calls whose outcome was an error that the model was told.
    pub failed_calls: u64,
    pub usage: Usage,
    pub spending: Spending,
    /// Absent while the stage is under way.
    pub end: Option<StageOutcome>,
    pub time: Shares,
    pub spans: Vec<Span>,
}

/// The outcome of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageOutcome {
    pub finished: bool,
    pub cause: Option<FailureCause>,
    pub detail: Option<String>,
    /// Departures from the canonical form that were accepted.
    pub deviations: Vec<String>,
}

/// The stages that have begun, in their order.
pub fn stages(state: &State, records: &[Record], evidence: &Evidence) -> Vec<StageView> {
    let mut times = times(records);
    state
        .stages
        .iter()
        .filter_map(|(stage, one)| {
            let place = state.track().place(*stage);
            let group = place.map(|place| place.group.clone()).unwrap_or_default();
            let mut view = StageView::new(*stage, group, one, times.remove(stage)?);
            view.spending.money = evidence.stage_money.get(stage).copied();
            if let Some(halted) = state.halted.as_ref().filter(|halted| halted.stage == *stage) {
                view.end = Some(StageOutcome {
                    finished: false,
                    cause: Some(halted.cause),
                    detail: Some(halted.detail.clone()),
                    deviations: Vec::new(),
                });
            }
            Some(view)
        })
        .collect()
}

/// The time of all stages by what it went to.
pub fn total(stages: &[StageView]) -> Shares {
    let mut total = Shares::default();
    for span in stages.iter().flat_map(|stage| &stage.spans) {
        total.add(span.activity, span.to_ms.saturating_sub(span.from_ms));
    }
    total
}

impl StageView {
    fn new(stage: Stage, group: String, state: &StageState, time: StageTime) -> Self {
        let results = || state.turns.iter().flat_map(|turn| turn.results.values());
        Self {
            stage,
            group,
            started_at: time.started,
            ended_at: time.ended,
            wall_ms: time
                .spans
                .first()
                .zip(time.spans.last())
                .map_or(0, |(first, last)| last.to_ms.saturating_sub(first.from_ms)),
            turns: state.turns.len() as u64,
            calls: results().count() as u64,
            failed_calls: results().filter(|result| !result.ok).count() as u64,
            usage: state.usage(),
            spending: Spending::from_stage(state),
            end: state.end.as_ref().map(StageOutcome::from_end),
            time: time.shares(),
            spans: time.spans,
        }
    }
}

impl StageOutcome {
    fn from_end(end: &StageEnd) -> Self {
        match end {
            StageEnd::Finished { deviations, .. } => Self {
                finished: true,
                cause: None,
                detail: None,
                deviations: deviations.clone(),
            },
            StageEnd::Failed { cause, detail } => Self {
                finished: false,
                cause: Some(*cause),
                detail: Some(detail.clone()),
                deviations: Vec::new(),
            },
        }
    }
}
