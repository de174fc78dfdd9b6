//! Means of grades, with how many they are of.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::domain::finding::Interval;
use crate::notebook::category::Category;
use crate::notebook::task_set::TaskSet;
use crate::statistics::proportion::wilson_of_mean;

use super::grade::NotebookGrade;
use super::metric::MetricScore;

/// The grade of an attempt, with what it is counted by.
#[derive(Debug, Clone)]
pub struct GradedAttempt<'a> {
    pub task: &'a str,
    pub set: TaskSet,
    pub category: Option<Category>,
    pub grade: &'a NotebookGrade,
}

/// The mean of a metric over the attempts that have a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricMean {
    /// The attempts that have a score.
    pub n: u64,
    /// `None` of none.
    pub mean: Option<f64>,
    /// Wilson's 95 % interval for a mean of shares, which is wide rather than narrow where scores
    /// lie between 0 and 1.
    pub interval: Option<Interval>,
    /// The attempts without a score, by reason.
    pub unscored: BTreeMap<&'static str, u64>,
}

/// The means of some attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotebookMeans {
    pub attempts: u64,
    /// The tasks that they are at.
    pub tasks: u64,
    /// The tasks of the files that are counted by the same: a mean of fewer is not to be held
    /// against one of all.
    pub tasks_in_files: u64,
    pub submitted: MetricMean,
    pub output_match: MetricMean,
    pub landmarks: MetricMean,
    pub entry_point: MetricMean,
}

/// The means of all attempts of a set, and by category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetMeans {
    pub set: TaskSet,
    #[serde(flatten)]
    pub means: NotebookMeans,
    pub by_category: BTreeMap<&'static str, NotebookMeans>,
}

/// A task of a file, as it is counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedTask {
    pub set: TaskSet,
    pub category: Option<Category>,
}

/// The means by set, and within each by category. Sets are never mixed.
pub fn by_set(attempts: &[GradedAttempt<'_>], tasks: &[CountedTask]) -> Vec<SetMeans> {
    let sets: BTreeSet<TaskSet> = attempts.iter().map(|attempt| attempt.set).collect();
    sets.into_iter()
        .map(|set| {
            let of_set: Vec<_> = attempts.iter().filter(|attempt| attempt.set == set).collect();
            let in_files = tasks.iter().filter(|task| task.set == set);
            let categories: BTreeSet<Category> =
                of_set.iter().filter_map(|attempt| attempt.category).collect();
            let by_category = categories.into_iter().map(|category| {
                let some: Vec<_> = (of_set.iter().copied())
                    .filter(|attempt| attempt.category == Some(category))
                    .collect();
                let in_files = in_files.clone().filter(|task| task.category == Some(category));
                (category.name(), means(&some, in_files.count()))
            });
            SetMeans {
                set,
                by_category: by_category.collect(),
                means: means(&of_set, in_files.clone().count()),
            }
        })
        .collect()
}

fn means(attempts: &[&GradedAttempt<'_>], in_files: usize) -> NotebookMeans {
    let tasks: BTreeSet<&str> = attempts.iter().map(|attempt| attempt.task).collect();
    let metric = |of: fn(&NotebookGrade) -> &MetricScore| {
        let mut unscored = BTreeMap::new();
        let mut values = Vec::new();
        for attempt in attempts {
            match of(attempt.grade) {
                MetricScore::Scored(value) => values.push(*value),
                MetricScore::Unscored(reason) => *unscored.entry(reason.kind()).or_default() += 1,
            }
        }
        mean(&values, unscored)
    };
    let told = attempts.iter().filter_map(|attempt| attempt.grade.submitted);
    let told: Vec<f64> = told.map(f64::from).collect();
    let untold = (attempts.len() - told.len()) as u64;
    NotebookMeans {
        attempts: attempts.len() as u64,
        tasks: tasks.len() as u64,
        tasks_in_files: in_files as u64,
        submitted: mean(
            &told,
            (untold > 0).then_some(("raised", untold)).into_iter().collect(),
        ),
        output_match: metric(|grade| &grade.output_match),
        landmarks: metric(|grade| &grade.landmarks),
        entry_point: metric(|grade| &grade.entry_point),
    }
}

fn mean(values: &[f64], unscored: BTreeMap<&'static str, u64>) -> MetricMean {
    let n = values.len() as u64;
    let mean = (n > 0).then(|| values.iter().sum::<f64>() / n as f64);
    MetricMean {
        n,
        mean,
        interval: mean.and_then(|mean| wilson_of_mean(mean, n)),
        unscored,
    }
}

#[cfg(test)]
mod tests {
    use super::super::metric::Unscored;
    use super::*;

    #[test]
    fn means_are_of_those_with_a_score_and_sets_are_not_mixed() {
        let grade = |output: MetricScore| NotebookGrade {
            submitted: Some(true),
            output_match: output,
            landmarks: MetricScore::Scored(0.5),
            entry_point: MetricScore::Unscored(Unscored::NoEntryPoint),
            values: Vec::new(),
            changed: Vec::new(),
        };
        let grades = [
            grade(MetricScore::Scored(1.0)),
            grade(MetricScore::Scored(0.5)),
            grade(MetricScore::Unscored(Unscored::NoAnswer)),
        ];
        let attempt = |task, set, category, at: usize| GradedAttempt {
            task,
            set,
            category,
            grade: &grades[at],
        };
        let attempts = [
            attempt("a_cpu", TaskSet::Masked, Some(Category::Cpu), 0),
            attempt("a_cpu", TaskSet::Masked, Some(Category::Cpu), 1),
            attempt("a_data", TaskSet::Masked, Some(Category::Data), 2),
            attempt("a", TaskSet::Expert, None, 0),
        ];
        let counted = |set, category| CountedTask { set, category };
        let tasks = [
            counted(TaskSet::Masked, Some(Category::Cpu)),
            counted(TaskSet::Masked, Some(Category::Data)),
            counted(TaskSet::Masked, Some(Category::Goal)),
            counted(TaskSet::Expert, None),
        ];
        let sets = by_set(&attempts, &tasks);
        assert_eq!(sets.len(), 2);
        let masked = &sets[1];
        assert_eq!(
            (
                masked.means.attempts,
                masked.means.tasks,
                masked.means.tasks_in_files
            ),
            (3, 2, 3)
        );
        assert_eq!(
            (masked.means.output_match.n, masked.means.output_match.mean),
            (2, Some(0.75))
        );
        assert_eq!(
            masked.means.output_match.unscored,
            BTreeMap::from([("no_answer", 1)])
        );
        assert_eq!(
            (masked.means.entry_point.n, masked.means.entry_point.mean),
            (0, None)
        );
        assert_eq!(masked.by_category["cpu"].output_match.mean, Some(0.75));
        assert_eq!(masked.by_category["data"].output_match.n, 0);
        assert_eq!(sets[0].means.output_match.mean, Some(1.0));
    }
}
