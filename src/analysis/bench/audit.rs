//! The audit of a bench: what agents that earn nothing get for each task, and what a known-good one
//! gets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cell::TaskKind;
use crate::analysis::capsule::accuracy::CountedShare;

/// A task under one arm, as it was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditedTask {
    pub kind: TaskKind,
    pub task: String,
    /// The digest of the task's content: what is changed since is not audited.
    pub content: String,
    pub arm: BTreeMap<String, String>,
    /// What agents got that earn nothing.
    pub trivial: Vec<AuditedAttempt>,
    /// What the recorded agent got; absent where there is no recording.
    pub known_good: Option<AuditedAttempt>,
    /// Why its scores mean nothing; it is quarantined where there is one.
    pub reasons: Vec<String>,
}

/// The attempt of an agent of the audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditedAttempt {
    pub agent: String,
    /// Whether it reached what a cell is run for; absent where nothing is to be counted.
    pub success: Option<bool>,
    /// From 0 to 1, where the task's track has a grader.
    pub score: Option<f64>,
    /// What it came to, in words.
    pub words: String,
    /// What it got although it earned nothing, such as a question that it has right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unearned: Vec<String>,
}

/// A line beside the scores of agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceLine {
    pub kind: TaskKind,
    pub name: &'static str,
    /// Tasks under an arm, each once.
    pub success: CountedShare,
}

impl AuditedTask {
    /// Finds why the task's scores mean nothing.
    pub fn judged(mut self) -> Self {
        for attempt in &self.trivial {
            if attempt.success == Some(true) {
                self.reasons.push(format!(
                    "the agent `{}`, which earns nothing, gets {}",
                    attempt.agent, attempt.words
                ));
            }
            let unearned = attempt.unearned.iter();
            self.reasons.extend(
                unearned
                    .map(|what| format!("the agent `{}`, which earns nothing, gets {what}", attempt.agent)),
            );
            if attempt.success.is_none() {
                self.reasons.push(format!(
                    "it could not be tried with the agent `{}`: {}",
                    attempt.agent, attempt.words
                ));
            }
        }
        if let Some(good) = &self.known_good
            && good.success != Some(true)
        {
            self.reasons
                .push(format!("the recorded agent gets {}", good.words));
        }
        self
    }

    /// Whether its scores mean nothing.
    pub fn is_quarantined(&self) -> bool {
        !self.reasons.is_empty()
    }
}

/// The lines that stand beside scores: the best of the agents that earn nothing at each task, and
/// the recorded agent.
pub fn reference_lines(tasks: &[AuditedTask]) -> Vec<ReferenceLine> {
    let mut lines = Vec::new();
    for kind in TaskKind::ALL {
        let own = || tasks.iter().filter(move |task| task.kind == kind);
        if own().next().is_none() {
            continue;
        }
        let best = own().map(|task| task.trivial.iter().any(|attempt| attempt.success == Some(true)));
        let good = own().filter_map(|task| task.known_good.as_ref()?.success);
        lines.push(ReferenceLine {
            kind,
            name: "The best of agents that earn nothing",
            success: CountedShare::count(best),
        });
        lines.push(ReferenceLine {
            kind,
            name: "The recorded agent",
            success: CountedShare::count(good),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(success: Option<bool>) -> AuditedAttempt {
        AuditedAttempt {
            agent: "null".to_owned(),
            success,
            score: None,
            words: "criterion met".to_owned(),
            unearned: Vec::new(),
        }
    }

    fn task(trivial: AuditedAttempt, good: Option<AuditedAttempt>) -> AuditedTask {
        AuditedTask {
            kind: TaskKind::Study,
            task: "t".to_owned(),
            content: String::new(),
            arm: BTreeMap::new(),
            trivial: vec![trivial],
            known_good: good,
            reasons: Vec::new(),
        }
        .judged()
    }

    #[test]
    fn what_is_earned_by_nothing_and_what_the_good_agent_lacks_quarantines() {
        let fine = task(attempt(Some(false)), Some(attempt(Some(true))));
        assert!(!fine.is_quarantined(), "{fine:?}");
        let mut partly = attempt(Some(false));
        partly.unearned.push("`q` right".to_owned());
        for (bad, why) in [
            (task(attempt(Some(true)), None), "gets criterion met"),
            (task(partly, None), "gets `q` right"),
            (task(attempt(None), None), "could not be tried"),
            (
                task(attempt(Some(false)), Some(attempt(Some(false)))),
                "the recorded agent gets",
            ),
            (
                task(attempt(Some(false)), Some(attempt(None))),
                "the recorded agent gets",
            ),
        ] {
            assert!(bad.reasons.iter().any(|reason| reason.contains(why)), "{bad:?}");
        }
        let lines = reference_lines(&[fine, task(attempt(Some(true)), None)]);
        let counts: Vec<_> = lines
            .iter()
            .map(|line| (line.success.count.hits, line.success.count.of))
            .collect();
        assert_eq!(counts, [(1, 2), (1, 1)]);
    }
}
