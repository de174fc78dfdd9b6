//! Repeated attempts at tasks: pass@k and pass^k.

use std::collections::BTreeMap;

use serde::Serialize;

use super::accuracy::interval_of_mean;
use super::attempt::CapsuleAttempt;
use crate::capsule::layout::level::Level;
use crate::domain::finding::Interval;

/// Repeats of an agent at one task of a level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskRepeats {
    /// Whether each graded attempt solved it.
    pub solved: Vec<bool>,
    /// Tokens of the graded attempts whose tokens are known.
    pub tokens: Vec<f64>,
}

impl TaskRepeats {
    /// Attempts that solved it.
    pub fn passes(&self) -> u64 {
        self.solved.iter().filter(|solved| **solved).count() as u64
    }

    /// Graded attempts.
    pub fn attempts(&self) -> u64 {
        self.solved.len() as u64
    }
}

/// The graded attempts by task and level.
pub fn by_task(attempts: &[&CapsuleAttempt]) -> BTreeMap<(String, Level), TaskRepeats> {
    let mut tasks = BTreeMap::<_, TaskRepeats>::new();
    for attempt in attempts {
        let Some(solved) = attempt.is_solved() else {
            continue;
        };
        let repeats = tasks.entry((attempt.task.clone(), attempt.level)).or_default();
        repeats.solved.push(solved);
        repeats.tokens.extend(attempt.tokens.map(|tokens| tokens as f64));
    }
    tasks
}

/// Estimates for `k` attempts at a task, averaged over the tasks with at least `k` graded ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassesOfK {
    pub k: u64,
    /// Tasks with at least `k` graded attempts.
    pub tasks: u64,
    /// The chance that one of `k` attempts solves a task (Chen et al. 2021): 1 − C(n−c,k)/C(n,k).
    pub at_least_one: f64,
    /// By [`interval_of_mean`] over tasks.
    pub at_least_one_interval: Option<Interval>,
    /// The chance that all of `k` attempts do (Yao et al. 2024): C(c,k)/C(n,k).
    pub all: f64,
    /// By [`interval_of_mean`] over tasks.
    pub all_interval: Option<Interval>,
}

/// The estimates for every `k` from 1 to the most attempts at a task.
pub fn passes<'a>(tasks: impl IntoIterator<Item = &'a TaskRepeats>) -> Vec<PassesOfK> {
    let alone: Vec<Vec<&TaskRepeats>> = tasks.into_iter().map(|task| vec![task]).collect();
    passes_of_tasks(&alone)
}

/// As [`passes`], of tasks that were each repeated under several settings: a task's chance is the
/// mean over its settings, so that it counts once.
pub fn passes_of_tasks(tasks: &[Vec<&TaskRepeats>]) -> Vec<PassesOfK> {
    let attempts = tasks.iter().flatten().map(|one| one.attempts());
    (1..=attempts.max().unwrap_or(0))
        .filter_map(|k| passes_of(tasks, k))
        .collect()
}

fn passes_of(tasks: &[Vec<&TaskRepeats>], k: u64) -> Option<PassesOfK> {
    let enough: Vec<Vec<&TaskRepeats>> = tasks
        .iter()
        .map(|settings| {
            let settings = settings.iter().copied();
            settings.filter(|one| one.attempts() >= k).collect::<Vec<_>>()
        })
        .filter(|settings| !settings.is_empty())
        .collect();
    let count = enough.len() as u64;
    if count == 0 {
        return None;
    }
    let mean = |of: fn(u64, u64, u64) -> f64| {
        let of_task = |settings: &Vec<&TaskRepeats>| {
            let chances = settings.iter().map(|one| of(one.attempts(), one.passes(), k));
            chances.sum::<f64>() / settings.len() as f64
        };
        enough.iter().map(of_task).sum::<f64>() / count as f64
    };
    let at_least_one = mean(|attempts, passes, k| 1.0 - share_without(attempts, passes, k));
    let all = mean(|attempts, passes, k| share_without(attempts, attempts - passes, k));
    Some(PassesOfK {
        k,
        tasks: count,
        at_least_one,
        at_least_one_interval: interval_of_mean(at_least_one, count),
        all,
        all_interval: interval_of_mean(all, count),
    })
}

/// The share of choices of `k` out of `n` that hold none of `marked` of them: C(n−m,k)/C(n,k).
fn share_without(n: u64, marked: u64, k: u64) -> f64 {
    if n - marked < k {
        return 0.0;
    }
    (0..k)
        .map(|drawn| (n - marked - drawn) as f64 / (n - drawn) as f64)
        .product()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn task(solved: &[bool]) -> TaskRepeats {
        TaskRepeats {
            solved: solved.to_vec(),
            tokens: Vec::new(),
        }
    }

    #[test]
    fn a_task_under_several_settings_counts_once() {
        let [both, none, one] = [task(&[true, true]), task(&[false, false]), task(&[true])];
        let found = passes_of_tasks(&[vec![&both, &none], vec![&both, &one]]);
        let told: Vec<_> = found
            .iter()
            .map(|of| (of.k, of.tasks, of.at_least_one, of.all))
            .collect();
        assert_eq!(told, [(1, 2, 0.75, 0.75), (2, 2, 0.75, 0.75)]);
    }

    /// By hand: tasks with 2 of 4, 0 of 2 and 3 of 3.
    #[test]
    fn a_table_by_hand() {
        let tasks = [
            task(&[true, true, false, false]),
            task(&[false, false]),
            task(&[true, true, true]),
        ];
        let found = passes(&tasks);
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        let expected = [
            // (1/2 + 0 + 1) / 3
            (1, 3, 0.5, 0.5),
            // at least one: (1 − 1/6 + 0 + 1) / 3; all: (1/6 + 0 + 1) / 3
            (2, 3, (5.0 / 6.0 + 1.0) / 3.0, (1.0 / 6.0 + 1.0) / 3.0),
            // 2 of 4 in threes: none without a pass, none with three.
            (3, 2, 1.0, 0.5),
            (4, 1, 1.0, 0.0),
        ];
        assert_eq!(found.len(), expected.len());
        for (found, (k, tasks, at_least_one, all)) in found.iter().zip(expected) {
            assert_eq!((found.k, found.tasks), (k, tasks));
            assert!(near(found.at_least_one, at_least_one), "{found:?}");
            assert!(near(found.all, all), "{found:?}");
        }
        let certain = found[3].at_least_one_interval.unwrap();
        assert!(certain.lower < 0.25 && certain.upper == 1.0);
        assert!(passes(&[]).is_empty());
    }

    proptest! {
        /// Both are means over every choice of k attempts.
        #[test]
        fn estimates_are_means_over_all_choices(solved in proptest::collection::vec(any::<bool>(), 1..9)) {
            for found in passes(&[task(&solved)]) {
                let (mut choices, mut one, mut all) = (0_u32, 0_u32, 0_u32);
                for choice in 0_u32..1 << solved.len() {
                    if u64::from(choice.count_ones()) != found.k {
                        continue;
                    }
                    let chosen = |at: &usize| choice >> at & 1 == 1;
                    let passed = (0..solved.len()).filter(chosen).filter(|at| solved[*at]).count() as u64;
                    choices += 1;
                    one += u32::from(passed > 0);
                    all += u32::from(passed == found.k);
                }
                prop_assert!((found.at_least_one - f64::from(one) / f64::from(choices)).abs() < 1e-12);
                prop_assert!((found.all - f64::from(all) / f64::from(choices)).abs() < 1e-12);
            }
        }

        #[test]
        fn more_attempts_pass_more_often_and_all_less(
            tasks in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 5), 1..20)
        ) {
            let tasks: Vec<TaskRepeats> = tasks.iter().map(|solved| task(solved)).collect();
            let found = passes(&tasks);
            prop_assert!((found[0].at_least_one - found[0].all).abs() < 1e-12);
            for pair in found.windows(2) {
                prop_assert!(pair[1].at_least_one >= pair[0].at_least_one - 1e-12);
                prop_assert!(pair[1].all <= pair[0].all + 1e-12);
            }
        }
    }
}
