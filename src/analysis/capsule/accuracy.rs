//! Shares of attempts and of questions that are right.

use std::collections::BTreeMap;

use serde::Serialize;

use super::attempt::{CapsuleAttempt, QuestionOutcome};
use crate::domain::finding::Interval;
use crate::statistics::proportion::{Proportion, wilson_of_clusters_at, wilson_of_mean_at};

/// The normal quantile that CORE-Bench v1.1 takes for a two-sided 95 %.
const Z: f64 = 1.96;
/// The coverage that goes with it.
const LEVEL: f64 = 0.95;

/// A share of a count, with Wilson's interval; `None` of nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountedShare {
    #[serde(flatten)]
    pub count: Proportion,
    pub interval: Option<Interval>,
}

impl CountedShare {
    /// The share of `flags` that is true.
    pub fn count(flags: impl IntoIterator<Item = bool>) -> Self {
        let count = Proportion::count(flags);
        Self {
            count,
            interval: count.wilson_at(Z, LEVEL),
        }
    }

    /// The share of flags that is true, each with its cluster; the interval is Wilson's over clusters, by
    /// [`wilson_of_clusters_at`].
    pub fn clustered<C: Ord>(flags: impl IntoIterator<Item = (C, bool)>) -> Self {
        let mut sizes = BTreeMap::<C, u64>::new();
        let count = Proportion::count(flags.into_iter().map(|(cluster, flag)| {
            *sizes.entry(cluster).or_default() += 1;
            flag
        }));
        Self {
            count,
            interval: wilson_of_clusters_at(count, sizes.into_values(), Z, LEVEL),
        }
    }

    /// Between 0 and 1; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        self.count.share()
    }
}

/// The interval of a mean of shares, one a task: Wilson's, as if each were a yes or no. No mean of
/// shares spreads more than that, so that it is wide rather than narrow, and it has a width where all tasks agree.
pub fn interval_of_mean(mean: f64, tasks: u64) -> Option<Interval> {
    wilson_of_mean_at(mean, tasks, Z, LEVEL)
}

/// Accuracy over graded attempts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Accuracy {
    /// Attempts that are right in every question.
    pub attempts: CountedShare,
    /// Of those with a written question, attempts that are right in all of them.
    pub written_attempts: CountedShare,
    /// Of those with a question about a figure, attempts that are right in all of them.
    pub figure_attempts: CountedShare,
    pub questions: CountedShare,
    pub written_questions: CountedShare,
    pub figure_questions: CountedShare,
}

impl Accuracy {
    /// Counts the graded ones among attempts.
    pub fn new(attempts: &[&CapsuleAttempt]) -> Self {
        let graded: Vec<&[QuestionOutcome]> = attempts.iter().filter_map(|one| one.questions()).collect();
        let of_kind = |figures: bool| {
            graded
                .iter()
                .filter_map(move |questions| all_right(questions, figures))
        };
        let questions = || graded.iter().flat_map(|questions| questions.iter());
        let right = |figures: bool| {
            questions()
                .filter(move |question| question.is_about_figure == figures)
                .map(|question| question.right)
        };
        Self {
            attempts: CountedShare::count(attempts.iter().filter_map(|one| one.is_solved())),
            written_attempts: CountedShare::count(of_kind(false)),
            figure_attempts: CountedShare::count(of_kind(true)),
            questions: CountedShare::count(questions().map(|question| question.right)),
            written_questions: CountedShare::count(right(false)),
            figure_questions: CountedShare::count(right(true)),
        }
    }
}

/// Whether all questions of a kind are right; `None` where there is none.
fn all_right(questions: &[QuestionOutcome], figures: bool) -> Option<bool> {
    let mut of_kind = questions
        .iter()
        .filter(|question| question.is_about_figure == figures)
        .peekable();
    of_kind.peek()?;
    Some(of_kind.all(|question| question.right))
}

/// Shares of questions and of attempts that got an answer, right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AnsweredShares {
    pub questions: CountedShare,
    /// Attempts with an answer to every question.
    pub full_attempts: CountedShare,
}

impl AnsweredShares {
    /// Counts the graded ones among attempts.
    pub fn new(attempts: &[&CapsuleAttempt]) -> Self {
        let graded: Vec<&[QuestionOutcome]> = attempts.iter().filter_map(|one| one.questions()).collect();
        let full = |questions: &&[QuestionOutcome]| {
            !questions.is_empty() && questions.iter().all(|question| question.answered)
        };
        Self {
            questions: CountedShare::count(
                graded
                    .iter()
                    .flat_map(|questions| questions.iter().map(|question| question.answered)),
            ),
            full_attempts: CountedShare::count(graded.iter().map(full)),
        }
    }
}
