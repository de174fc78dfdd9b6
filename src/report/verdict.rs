//! The verdict in words.

use serde::{Deserialize, Serialize};

use crate::domain::criterion::Criterion;
use crate::domain::doubt::DoubtCause;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::verdict::{Outcome, Verdict};
use crate::run::decide::failed_stage;
use crate::run::state::State;

use super::recomputed::Recomputed;
use super::verdict_line::{DoubtView, departs, doubts, open};
use super::{condition_words, doubt_words, rule};

/// The progress of a run, as its report says it.
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
    /// True if the agent, rather than the operator or the machine, is at fault.
    pub agents: bool,
}

/// The verdict with the words that a report uses for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    pub status: Status,
    pub outcome: Option<Outcome>,
    /// One sentence that can be read alone.
    pub sentence: String,
    /// Why it is left open.
    pub cause: Option<DoubtCause>,
    /// What would close it, in a sentence.
    #[serde(default)]
    pub closed_by: Option<String>,
    /// One sentence with the numbers that decided.
    pub reason: Option<String>,
    pub criterion: Option<Criterion>,
    /// The criterion as a sentence.
    pub rule: Option<String>,
    /// How the plan departs from the rule of every study.
    pub departure: Option<String>,
    /// The source of the deciding numbers, in words.
    pub source: Option<String>,
    /// The doubts about its numbers, those that decided first.
    pub doubts: Vec<DoubtView>,
    /// Each condition of the criterion, if there are several.
    pub conditions: Vec<ConditionView>,
    /// The agent's conclusion.
    pub agent: Option<Outcome>,
    pub disputed: bool,
    /// The agent's conclusion in its own words.
    pub conclusion: Option<String>,
    pub failed: Option<FailedStage>,
    /// The verdict by the rules of this version, if it was asked for.
    pub recomputed: Option<Recomputed>,
}

/// One condition of a criterion, as a row of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConditionView {
    pub term: String,
    /// How it is tested.
    pub test: String,
    /// The condition in words, as a clause.
    pub asks: String,
    pub outcome: Outcome,
    pub reason: String,
    pub decides: bool,
}

impl VerdictView {
    pub fn new(state: &State, conclusion: Option<&str>, now: Option<&Verdict>) -> Self {
        let verdict = state.verdict.as_ref();
        let status = if state.started.is_none() {
            Status::Empty
        } else if state.is_finished() {
            Status::Finished
        } else if !state.open_questions().is_empty() {
            Status::AwaitingApproval
        } else {
            Status::UnderWay
        };
        let criterion = verdict.and_then(|verdict| verdict.criterion.as_deref().cloned());
        Self {
            status,
            outcome: verdict.map(|verdict| verdict.outcome),
            sentence: sentence(
                status,
                verdict,
                unregistered(state).as_deref(),
                state.registration.as_deref(),
            ),
            cause: verdict.and_then(|verdict| verdict.cause),
            closed_by: verdict
                .filter(|verdict| verdict.outcome == Outcome::Inconclusive)
                .and_then(|verdict| Some(doubt_words::closed_by(verdict.cause?).to_owned())),
            reason: verdict.map(|verdict| verdict.reason.clone()),
            rule: criterion.as_ref().map(rule::sentence),
            criterion,
            departure: verdict.and_then(|verdict| verdict.departure.clone()),
            source: verdict
                .and_then(|verdict| verdict.source)
                .map(|source| source.words().to_owned()),
            doubts: verdict.map(doubts).unwrap_or_default(),
            conditions: verdict.map(conditions).unwrap_or_default(),
            agent: verdict.and_then(|verdict| verdict.agent),
            disputed: verdict.is_some_and(Verdict::is_disputed),
            conclusion: conclusion.map(str::to_owned),
            failed: failed_stage(state).map(|failed| FailedStage {
                stage: failed.stage,
                cause: failed.cause,
                detail: failed.detail.to_owned(),
                agents: failed.cause.is_agents(),
            }),
            recomputed: now.map(|now| Recomputed::compare(verdict, now)),
        }
    }
}

fn conditions(verdict: &Verdict) -> Vec<ConditionView> {
    verdict
        .conditions
        .iter()
        .map(|one| ConditionView {
            term: one.condition.term.clone(),
            test: one.condition.test.words().to_owned(),
            asks: condition_words::asks(&one.condition),
            outcome: one.outcome,
            reason: one.reason.clone(),
            decides: one.decides,
        })
        .collect()
}

/// Why the criterion is not called preregistered.
fn unregistered(state: &State) -> Option<String> {
    match (state.is_planned_with_data(), state.tried_in_shell()) {
        (true, _) => {
            Some("The plan was made with access to the data, so it is not called preregistered".to_owned())
        }
        (false, 0) => None,
        (false, count) => Some(format!(
            "Analyses were tried in the agent's own shell before the plan was executed ({count}), so it is not called \
             preregistered"
        )),
    }
}

fn sentence(
    status: Status,
    verdict: Option<&Verdict>,
    unregistered: Option<&str>,
    registration: Option<&str>,
) -> String {
    let Some(verdict) = verdict else {
        return match status {
            Status::AwaitingApproval => "This run waits for an approval and has no verdict.",
            Status::Empty => "This run has not begun.",
            Status::UnderWay | Status::Finished => "This run has no verdict.",
        }
        .to_owned();
    };
    if let Some(why) = unregistered {
        let words = match verdict.outcome {
            Outcome::Met => "the criterion of the plan is met",
            Outcome::Unmet => "the criterion of the plan is not met",
            Outcome::Inconclusive => "the result is inconclusive by the criterion of the plan",
            Outcome::NotComparable => "what was estimated is not comparable with the criterion of the plan",
        };
        return format!("{why}: {words}{}{}.", open(verdict), departs(verdict));
    }
    let criterion = match registration {
        Some(place) => format!("preregistered criterion (said to be registered at {place}, not checked)"),
        None => "criterion that was fixed before the data were analysed".to_owned(),
    };
    let words = match verdict.outcome {
        Outcome::Met => format!("The {criterion} is met"),
        Outcome::Unmet => format!("The {criterion} is not met"),
        Outcome::Inconclusive => format!("The result is inconclusive by the {criterion}"),
        Outcome::NotComparable => format!("What was estimated is not comparable with the {criterion}"),
    };
    format!("{words}{}{}.", open(verdict), departs(verdict))
}
