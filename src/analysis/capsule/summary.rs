//! All figures of an agent over its attempts.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use strum::IntoEnumIterator as _;

use super::accuracy::{Accuracy, AnsweredShares};
use super::amounts::Amounts;
use super::attempt::{AttemptGrade, CapsuleAttempt};
use super::reliability::{Reliability, reliability, reliability_of_tasks, usual_repeats};
use super::repeats::{PassesOfK, TaskRepeats, by_task, passes, passes_of_tasks};
use crate::capsule::layout::level::Level;

/// The figures of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentSummary {
    pub agent: String,
    /// Different capsules that it attempted: one at several levels is one task.
    pub tasks: usize,
    pub attempts: usize,
    /// Attempts that nobody graded, by reason: they are in no share.
    pub unscored: BTreeMap<String, usize>,
    pub accuracy: Accuracy,
    pub groups: Vec<GroupAccuracy>,
    pub answered: AnsweredShares,
    /// Over tasks; the figure of one at several levels is the mean over them. So is that of `reliability`.
    pub passes: Vec<PassesOfK>,
    pub reliability: Option<Reliability>,
    /// The same figures of each level alone.
    pub levels: Vec<LevelFigures>,
    /// US dollars.
    pub cost: Amounts,
    pub seconds: Amounts,
    pub tokens: Amounts,
}

/// The figures over repeats at one level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelFigures {
    pub level: Level,
    /// Different capsules.
    pub tasks: usize,
    pub attempts: usize,
    pub passes: Vec<PassesOfK>,
    pub reliability: Option<Reliability>,
}

/// A property that attempts are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::EnumIter)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    Level,
    Field,
    Language,
    Gpu,
}

impl Grouping {
    fn value(self, attempt: &CapsuleAttempt) -> String {
        match self {
            Self::Level => attempt.level.to_string(),
            Self::Field => attempt.field.clone(),
            Self::Language => attempt.language.clone(),
            Self::Gpu if attempt.needs_gpu => "needed".to_owned(),
            Self::Gpu => "not needed".to_owned(),
        }
    }
}

/// The accuracy over a group of attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupAccuracy {
    pub by: Grouping,
    pub value: String,
    pub attempts: usize,
    /// Attempts that nobody graded: they are in no share.
    pub unscored: usize,
    pub accuracy: Accuracy,
}

/// The figures of every agent, by name.
pub fn summaries(attempts: &[CapsuleAttempt]) -> Vec<AgentSummary> {
    let mut agents = BTreeMap::<&str, Vec<&CapsuleAttempt>>::new();
    for attempt in attempts {
        agents.entry(&attempt.agent).or_default().push(attempt);
    }
    agents
        .into_iter()
        .map(|(agent, attempts)| summary(agent, &attempts))
        .collect()
}

fn summary(agent: &str, attempts: &[&CapsuleAttempt]) -> AgentSummary {
    let repeats = by_task(attempts);
    let mut of_tasks = BTreeMap::<&str, Vec<&TaskRepeats>>::new();
    for ((task, _), own) in &repeats {
        of_tasks.entry(task).or_default().push(own);
    }
    let of_tasks: Vec<Vec<&TaskRepeats>> = of_tasks.into_values().collect();
    let mut unscored = BTreeMap::new();
    for attempt in attempts {
        if let AttemptGrade::Unscored(reason) = &attempt.grade {
            *unscored.entry(reason.clone()).or_insert(0) += 1;
        }
    }
    let dollars = |one: &&CapsuleAttempt| one.cost.map(|cost| cost.0 as f64 / 1e6);
    AgentSummary {
        agent: agent.to_owned(),
        tasks: different_tasks(attempts),
        attempts: attempts.len(),
        unscored,
        accuracy: Accuracy::new(attempts),
        groups: Grouping::iter().flat_map(|by| groups(by, attempts)).collect(),
        answered: AnsweredShares::new(attempts),
        passes: passes_of_tasks(&of_tasks),
        reliability: usual_repeats(repeats.values()).and_then(|usual| reliability_of_tasks(&of_tasks, usual)),
        levels: levels(attempts, &repeats),
        cost: Amounts::new(attempts.iter().map(dollars)),
        seconds: Amounts::new(attempts.iter().map(|one| one.seconds)),
        tokens: Amounts::new(attempts.iter().map(|one| one.tokens.map(|tokens| tokens as f64))),
    }
}

fn different_tasks(attempts: &[&CapsuleAttempt]) -> usize {
    let tasks: BTreeSet<&str> = attempts.iter().map(|one| one.task.as_str()).collect();
    tasks.len()
}

fn levels(
    attempts: &[&CapsuleAttempt],
    repeats: &BTreeMap<(String, Level), TaskRepeats>,
) -> Vec<LevelFigures> {
    let mut levels = BTreeMap::<Level, Vec<&CapsuleAttempt>>::new();
    for attempt in attempts {
        levels.entry(attempt.level).or_default().push(attempt);
    }
    let figures = |(level, attempts): (Level, Vec<&CapsuleAttempt>)| {
        let own = || {
            repeats
                .iter()
                .filter(|((_, of), _)| *of == level)
                .map(|(_, own)| own)
        };
        LevelFigures {
            level,
            tasks: different_tasks(&attempts),
            attempts: attempts.len(),
            passes: passes(own()),
            reliability: usual_repeats(own()).and_then(|usual| reliability(own(), usual)),
        }
    };
    levels.into_iter().map(figures).collect()
}

fn groups(by: Grouping, attempts: &[&CapsuleAttempt]) -> Vec<GroupAccuracy> {
    let mut groups = BTreeMap::<String, Vec<&CapsuleAttempt>>::new();
    for attempt in attempts {
        groups.entry(by.value(attempt)).or_default().push(attempt);
    }
    let group = |(value, attempts): (String, Vec<&CapsuleAttempt>)| GroupAccuracy {
        by,
        value,
        attempts: attempts.len(),
        unscored: attempts.iter().filter(|one| one.questions().is_none()).count(),
        accuracy: Accuracy::new(&attempts),
    };
    groups.into_iter().map(group).collect()
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
