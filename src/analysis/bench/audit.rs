//! The audit of a bench: what agents that earn nothing get for each task, and what a known-good one
//! gets.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::cell::{BenchCell, TaskKind};
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
    /// True of a line that leaves quarantined tasks out, beside one that does not.
    pub is_without_quarantined: bool,
    /// Tasks under an arm that were tried, each once; with an interval over tasks.
    pub success: CountedShare,
    /// Different tasks among them.
    pub tasks: usize,
    /// Tasks under an arm of which nothing is known: they could not be tried, or have no recording.
    pub untried: usize,
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

    /// Whether an agent that earns nothing succeeded; `None` where none was tried.
    fn best_of_trivial(&self) -> Option<bool> {
        self.trivial.iter().filter_map(|attempt| attempt.success).max()
    }

    /// Whether it is a task of this kind and name, under this arm.
    pub fn is_of(&self, kind: TaskKind, task: &str, arm: &BTreeMap<String, String>) -> bool {
        self.kind == kind && self.task == task && self.arm == *arm
    }

    /// Whether its scores mean nothing.
    pub fn is_quarantined(&self) -> bool {
        !self.reasons.is_empty()
    }
}

/// The cells without those of quarantined tasks; `None` where there is none of these.
pub fn without_quarantined(
    cells: &[BenchCell],
    quarantined: &BTreeMap<String, String>,
) -> Option<Vec<BenchCell>> {
    let is_of = |cell: &&BenchCell| !quarantined.contains_key(&cell.cell);
    let others: Vec<BenchCell> = cells.iter().filter(is_of).cloned().collect();
    (others.len() < cells.len()).then_some(others)
}

/// A line, and what it has of a task; `None` where it was not tried.
type Reference = (&'static str, fn(&AuditedTask) -> Option<bool>);

const REFERENCES: [Reference; 2] = [
    (
        "The best of agents that earn nothing",
        AuditedTask::best_of_trivial,
    ),
    ("The recorded agent", |task| task.known_good.as_ref()?.success),
];

/// The lines that stand beside scores: the best of the agents that earn nothing at each task, and
/// the recorded agent; each of all tasks, and without those that are quarantined where there are some.
pub fn reference_lines(tasks: &[AuditedTask]) -> Vec<ReferenceLine> {
    let mut lines = Vec::new();
    for kind in TaskKind::ALL {
        let own: Vec<&AuditedTask> = tasks.iter().filter(|task| task.kind == kind).collect();
        let others: Vec<&AuditedTask> = own
            .iter()
            .copied()
            .filter(|task| !task.is_quarantined())
            .collect();
        if own.is_empty() {
            continue;
        }
        for reference in REFERENCES {
            lines.push(ReferenceLine::new(kind, reference, &own, false));
            if others.len() < own.len() {
                lines.push(ReferenceLine::new(kind, reference, &others, true));
            }
        }
    }
    lines
}

impl ReferenceLine {
    fn new(
        kind: TaskKind,
        reference: Reference,
        tasks: &[&AuditedTask],
        is_without_quarantined: bool,
    ) -> Self {
        let (name, outcome) = reference;
        let outcomes = || tasks.iter().map(|task| (task.task.as_str(), outcome(task)));
        let tried = || outcomes().filter_map(|(task, outcome)| Some((task, outcome?)));
        let names: BTreeSet<&str> = tried().map(|(task, _)| task).collect();
        Self {
            kind,
            name,
            is_without_quarantined,
            success: CountedShare::clustered(tried()),
            tasks: names.len(),
            untried: outcomes().filter(|(_, outcome)| outcome.is_none()).count(),
        }
    }
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
        // Of both tasks, and of the one that is not quarantined.
        assert_eq!(counts, [(1, 2), (0, 1), (1, 1), (1, 1)]);
    }

    /// A task that could not be tried earned nothing, and is no failure of an agent either.
    #[test]
    fn what_was_not_tried_is_in_no_line() {
        let named = |name: &str, task: AuditedTask| AuditedTask {
            task: name.to_owned(),
            ..task
        };
        let mut partly = task(attempt(Some(false)), None);
        partly.trivial.push(attempt(None));
        let tasks = [
            named("a", task(attempt(Some(false)), Some(attempt(Some(true))))),
            named("a", task(attempt(Some(false)), Some(attempt(None)))),
            named("b", partly),
            named("c", task(attempt(Some(false)), None)),
            named("d", task(attempt(None), None)),
            named("e", task(attempt(None), None)),
        ];
        let lines = reference_lines(&tasks);
        let told: Vec<_> = lines
            .iter()
            .map(|line| {
                (
                    line.success.count.hits,
                    line.success.count.of,
                    line.tasks,
                    line.untried,
                )
            })
            .collect();
        assert_eq!(told, [(0, 4, 3, 2), (0, 3, 3, 0), (1, 1, 1, 5), (1, 1, 1, 2)]);
    }
}
