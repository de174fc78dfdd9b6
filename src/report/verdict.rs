//! The verdict in words.

use serde::{Deserialize, Serialize};

use crate::domain::criterion::Criterion;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::verdict::Outcome;
use crate::run::decide::failed_stage;
use crate::run::state::State;

use super::rule;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The journal holds no event.
    Empty,
    UnderWay,
    /// A question waits for an answer.
    AwaitingApproval,
    Finished,
}

/// The stage that ended the run early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedStage {
    pub stage: Stage,
    pub cause: FailureCause,
    pub detail: String,
    /// Whether the agent, rather than the operator or the machine, is at fault.
    pub agents: bool,
}

/// The verdict with the words that a report uses for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    pub status: Status,
    pub outcome: Option<Outcome>,
    /// One sentence that stands alone.
    pub sentence: String,
    /// One sentence with the numbers that decided.
    pub reason: Option<String>,
    pub criterion: Option<Criterion>,
    /// The criterion as a sentence.
    pub rule: Option<String>,
    /// What the agent concluded.
    pub agent: Option<Outcome>,
    pub disputed: bool,
    /// The agent's conclusion in its own words.
    pub conclusion: Option<String>,
    pub failed: Option<FailedStage>,
}

impl VerdictView {
    pub fn of(state: &State, conclusion: Option<&str>) -> Self {
        let verdict = state.verdict.as_ref();
        let status = if state.started.is_none() {
            Status::Empty
        } else if verdict.is_some() {
            Status::Finished
        } else if !state.open_questions().is_empty() {
            Status::AwaitingApproval
        } else {
            Status::UnderWay
        };
        let outcome = verdict.map(|verdict| verdict.outcome);
        let criterion = verdict.and_then(|verdict| verdict.criterion.as_deref().cloned());
        Self {
            status,
            outcome,
            sentence: sentence(status, outcome).to_owned(),
            reason: verdict.map(|verdict| verdict.reason.clone()),
            rule: criterion.as_ref().map(rule::sentence),
            criterion,
            agent: verdict.and_then(|verdict| verdict.agent),
            disputed: verdict.is_some_and(|verdict| verdict.is_disputed()),
            conclusion: conclusion.map(str::to_owned),
            failed: failed_stage(state).map(|(stage, cause, detail)| FailedStage {
                stage,
                cause,
                detail: detail.to_owned(),
                agents: cause.is_agents(),
            }),
        }
    }
}

fn sentence(status: Status, outcome: Option<Outcome>) -> &'static str {
    match (outcome, status) {
        (Some(Outcome::Met), _) => "The preregistered criterion is met.",
        (Some(Outcome::Unmet), _) => "The preregistered criterion is not met.",
        (Some(Outcome::Inconclusive), _) => "The preregistered criterion is left undecided.",
        (Some(Outcome::NotComparable), _) => {
            "What was estimated is not comparable with the preregistered criterion."
        }
        (None, Status::AwaitingApproval) => "This run waits for an approval and has no verdict.",
        (None, Status::Empty) => "This run has not begun.",
        (None, Status::UnderWay | Status::Finished) => "This run has no verdict.",
    }
}
