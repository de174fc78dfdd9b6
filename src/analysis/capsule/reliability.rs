//! Reliability over repeats, as the analysis of CORE-Bench v1.1 defines it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::repeats::TaskRepeats;

/// A mean over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TaskMean {
    pub mean: f64,
    /// The standard deviation over tasks (n − 1) by the root of their number; `None` of one task.
    pub standard_error: Option<f64>,
    /// Tasks that it is taken over.
    pub tasks: u64,
}

impl TaskMean {
    /// `None` of no tasks.
    fn new(values: &[f64]) -> Option<Self> {
        let count = values.len() as f64;
        (!values.is_empty()).then(|| Self {
            mean: mean(values),
            standard_error: deviation(values).map(|deviation| deviation / count.sqrt()),
            tasks: values.len() as u64,
        })
    }
}

/// Reliability over the tasks with exactly `repeats` graded attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reliability {
    pub repeats: u64,
    /// Tasks with another number of graded attempts, which are left out.
    pub other_tasks: u64,
    /// The mean share of attempts that pass.
    pub pass_at_1: TaskMean,
    /// The share of tasks that pass at least once; those below are shares of tasks too.
    pub pass_once: TaskMean,
    pub pass_all: TaskMean,
    pub pass_zero: TaskMean,
    /// Passed at times.
    pub discordant: TaskMean,
    /// The mean of (2p − 1)², p a task's share of attempts that pass; `None` of single attempts.
    pub outcome_consistency: Option<TaskMean>,
    /// The mean of exp(−CV), CV the coefficient of variation of a task's tokens; of tasks with at
    /// least two attempts whose tokens are known.
    pub resource_consistency: Option<TaskMean>,
}

/// The number of graded attempts that most tasks have; of equally frequent ones the largest.
pub fn usual_repeats<'a>(tasks: impl IntoIterator<Item = &'a TaskRepeats>) -> Option<u64> {
    let mut counts = BTreeMap::new();
    for task in tasks {
        *counts.entry(task.attempts()).or_insert(0_u64) += 1;
    }
    counts
        .into_iter()
        .max_by_key(|(attempts, tasks)| (*tasks, *attempts))
        .map(|(attempts, _)| attempts)
}

/// The figures over tasks with exactly `repeats` graded attempts; `None` where there is none.
pub fn reliability<'a>(
    tasks: impl IntoIterator<Item = &'a TaskRepeats>,
    repeats: u64,
) -> Option<Reliability> {
    let alone: Vec<Vec<&TaskRepeats>> = tasks.into_iter().map(|task| vec![task]).collect();
    reliability_of_tasks(&alone, repeats)
}

/// As [`reliability`], of tasks that were each repeated under several settings: a task's figures
/// are the means over its settings, so that it counts once.
pub fn reliability_of_tasks(tasks: &[Vec<&TaskRepeats>], repeats: u64) -> Option<Reliability> {
    let of_number: Vec<Vec<&TaskRepeats>> = tasks
        .iter()
        .map(|settings| {
            let settings = settings.iter().copied();
            settings
                .filter(|one| repeats > 0 && one.attempts() == repeats)
                .collect::<Vec<_>>()
        })
        .filter(|settings| !settings.is_empty())
        .collect();
    let mean_of = |of: &dyn Fn(&TaskRepeats) -> f64| {
        let of_task =
            |settings: &Vec<&TaskRepeats>| mean(&settings.iter().map(|one| of(one)).collect::<Vec<_>>());
        TaskMean::new(&of_number.iter().map(of_task).collect::<Vec<_>>())
    };
    let share_of = |holds: &dyn Fn(u64) -> bool| {
        mean_of(&|task: &TaskRepeats| f64::from(u8::from(holds(task.passes()))))
    };
    let pass_rate = |task: &TaskRepeats| task.passes() as f64 / repeats as f64;
    let consistencies: Vec<f64> = of_number
        .iter()
        .filter_map(|settings| {
            let variations = settings.iter().filter_map(|one| variation(&one.tokens));
            let own: Vec<f64> = variations.map(|variation| (-variation).exp()).collect();
            (!own.is_empty()).then(|| mean(&own))
        })
        .collect();
    Some(Reliability {
        repeats,
        other_tasks: (tasks.len() - of_number.len()) as u64,
        pass_at_1: mean_of(&pass_rate)?,
        pass_once: share_of(&|passes| passes > 0)?,
        pass_all: share_of(&|passes| passes == repeats)?,
        pass_zero: share_of(&|passes| passes == 0)?,
        discordant: share_of(&|passes| 0 < passes && passes < repeats)?,
        outcome_consistency: (repeats > 1)
            .then(|| mean_of(&|task: &TaskRepeats| (2.0 * pass_rate(task) - 1.0).powi(2)))
            .flatten(),
        resource_consistency: TaskMean::new(&consistencies),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation (n − 1); `None` of fewer than two values.
fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// The coefficient of variation; `None` of fewer than two values, or of a mean of zero.
fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    deviation(values)
        .filter(|_| mean > 0.0)
        .map(|deviation| deviation / mean)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::capsule::repeats::passes;

    fn task(passes: usize, repeats: usize, tokens: &[f64]) -> TaskRepeats {
        TaskRepeats {
            solved: (0..repeats).map(|at| at < passes).collect(),
            tokens: tokens.to_vec(),
        }
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    /// By hand: passes 4, 2, 0 and 1 of 4, and a task with 3 attempts.
    #[test]
    fn a_table_by_hand() {
        let tasks = [
            // Mean 10, deviation √(100·2/3) … of 0, 20, 0, 20: √(400/3).
            task(4, 4, &[0.0, 20.0, 0.0, 20.0]),
            task(2, 4, &[5.0, 5.0, 5.0, 5.0]),
            task(0, 4, &[7.0]),
            task(1, 4, &[0.0, 0.0]),
            task(3, 3, &[1.0, 9.0]),
        ];
        assert_eq!(usual_repeats(&tasks), Some(4));
        let found = reliability(&tasks, 4).unwrap();
        assert_eq!((found.repeats, found.other_tasks), (4, 1));
        assert_eq!(found.pass_at_1.tasks, 4);
        // Shares 1, .5, 0, .25.
        assert!(near(found.pass_at_1.mean, 0.4375));
        let squares = 0.5625_f64.powi(2) + 0.0625_f64.powi(2) + 0.4375_f64.powi(2) + 0.1875_f64.powi(2);
        let error = (squares / 3.0).sqrt() / 2.0;
        assert!(near(found.pass_at_1.standard_error.unwrap(), error));
        assert!(near(found.pass_once.mean, 0.75));
        assert!(near(found.pass_all.mean, 0.25));
        assert!(near(found.pass_zero.mean, 0.25));
        assert!(near(found.discordant.mean, 0.5));
        // 1, 0, 1, .25.
        assert!(near(found.outcome_consistency.unwrap().mean, 0.5625));
        let consistency = found.resource_consistency.unwrap();
        assert_eq!(consistency.tasks, 2);
        let first = (-(400.0_f64 / 3.0).sqrt() / 10.0).exp();
        assert!(near(consistency.mean, f64::midpoint(first, 1.0)));
    }

    /// Two tasks at two levels are two tasks: their means are taken first.
    #[test]
    fn a_task_under_several_settings_counts_once() {
        let [whole, half] = [task(2, 2, &[]), task(1, 2, &[1.0, 1.0])];
        let (none, other) = (task(0, 2, &[]), task(3, 3, &[]));
        let found =
            reliability_of_tasks(&[vec![&whole, &none], vec![&half, &other], vec![&other]], 2).unwrap();
        assert_eq!((found.pass_at_1.tasks, found.other_tasks), (2, 1));
        assert!(near(found.pass_at_1.mean, 0.5) && near(found.pass_at_1.standard_error.unwrap(), 0.0));
        // 1/2 and 1; 1/2 and 0.
        assert!(near(found.pass_once.mean, 0.75) && near(found.pass_all.mean, 0.25));
        assert!(near(found.outcome_consistency.unwrap().mean, 0.5));
        assert_eq!(found.resource_consistency.map(|mean| mean.tasks), Some(1));
        let uneven = reliability_of_tasks(&[vec![&whole, &whole, &whole], vec![&none]], 2).unwrap();
        assert!(near(uneven.pass_at_1.mean, 0.5));
    }

    #[test]
    fn nothing_is_no_zero() {
        assert_eq!(usual_repeats(&[]), None);
        assert_eq!(reliability(&[], 5), None);
        assert_eq!(reliability(&[task(1, 2, &[])], 5), None);
        let single = reliability(&[task(1, 1, &[3.0])], 1).unwrap();
        assert_eq!(single.pass_at_1.standard_error, None);
        assert_eq!(single.outcome_consistency, None);
        assert_eq!(single.resource_consistency, None);
    }

    proptest! {
        #[test]
        fn figures_of_repeats_agree(counts in proptest::collection::vec(0_usize..=5, 1..30)) {
            let tasks: Vec<TaskRepeats> = counts.iter().map(|passes| task(*passes, 5, &[])).collect();
            let found = reliability(&tasks, 5).unwrap();
            let of_k = passes(&tasks);
            prop_assert!(near(found.pass_at_1.mean, of_k[0].all));
            prop_assert!(near(found.pass_once.mean, of_k[4].at_least_one));
            prop_assert!(near(found.pass_all.mean, of_k[4].all));
            let whole = found.pass_all.mean + found.pass_zero.mean + found.discordant.mean;
            prop_assert!(near(whole, 1.0));
            prop_assert!(near(found.pass_once.mean, 1.0 - found.pass_zero.mean));
        }
    }
}
