//! The figures of agents over attempts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::attempt::ScoredAttempt;
use super::calibration::{Calibration, StatedConfidence, calibration};
use super::saturation::{Saturation, saturation};
use crate::analysis::capsule::accuracy::CountedShare;
use crate::analysis::capsule::amounts::Amounts;
use crate::analysis::capsule::reliability::{Reliability, reliability, usual_repeats};
use crate::analysis::capsule::repeats::{PassesOfK, TaskRepeats, passes};

/// The figures of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptFigures {
    pub agent: String,
    /// Different tasks.
    pub tasks: usize,
    pub attempts: usize,
    pub accuracy: CountedShare,
    pub passes: Vec<PassesOfK>,
    /// Over the tasks with as many attempts as most have; `None` where these are single ones.
    pub reliability: Option<Reliability>,
    pub calibration: Option<Calibration>,
    /// US dollars.
    pub cost: Amounts,
    pub tokens: Amounts,
}

/// The figures of all agents, and how far they are from one another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptSummary {
    pub agents: Vec<AttemptFigures>,
    /// `None` of fewer than five agents.
    pub saturation: Option<Saturation>,
}

/// Sums attempts up, by the agents' names.
pub fn summary(attempts: &[ScoredAttempt]) -> AttemptSummary {
    let mut by_agent = BTreeMap::<&str, Vec<&ScoredAttempt>>::new();
    for attempt in attempts {
        by_agent.entry(&attempt.agent).or_default().push(attempt);
    }
    let agents: Vec<AttemptFigures> = by_agent
        .into_iter()
        .map(|(agent, attempts)| AttemptFigures::new(agent, &attempts))
        .collect();
    let tasks: BTreeSet<&str> = attempts.iter().map(|attempt| attempt.task.as_str()).collect();
    let accuracies: Vec<f64> = agents.iter().filter_map(|agent| agent.accuracy.share()).collect();
    AttemptSummary {
        saturation: saturation(&accuracies, tasks.len() as u64),
        agents,
    }
}

/// The repeats of each task among attempts of one agent.
pub fn repeats<'a>(attempts: impl IntoIterator<Item = &'a ScoredAttempt>) -> Vec<TaskRepeats> {
    let mut tasks = BTreeMap::<&str, TaskRepeats>::new();
    for attempt in attempts {
        let repeats = tasks.entry(&attempt.task).or_default();
        repeats.solved.push(attempt.success);
        repeats.tokens.extend(attempt.tokens);
    }
    tasks.into_values().collect()
}

impl AttemptFigures {
    fn new(agent: &str, attempts: &[&ScoredAttempt]) -> Self {
        let repeats = repeats(attempts.iter().copied());
        let stated: Vec<StatedConfidence> = attempts
            .iter()
            .filter_map(|attempt| {
                Some(StatedConfidence {
                    confidence: attempt.confidence?,
                    success: attempt.success,
                })
            })
            .collect();
        let usual = usual_repeats(&repeats).filter(|usual| *usual > 1);
        Self {
            agent: agent.to_owned(),
            tasks: repeats.len(),
            attempts: attempts.len(),
            accuracy: CountedShare::count(attempts.iter().map(|attempt| attempt.success)),
            passes: passes(&repeats),
            reliability: usual.and_then(|usual| reliability(&repeats, usual)),
            calibration: calibration(&stated),
            cost: Amounts::new(attempts.iter().map(|attempt| attempt.cost)),
            tokens: Amounts::new(attempts.iter().map(|attempt| attempt.tokens)),
        }
    }
}
