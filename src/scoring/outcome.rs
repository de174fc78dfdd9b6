//! Verdicts of runs against the verdicts of human replicators.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::finding::Interval;
use crate::domain::format;
use crate::domain::verdict::Outcome;
use crate::statistics::proportion::{Proportion, wilson_of_mean};

/// The conclusion of the people who replicated a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    Met,
    Unmet,
}

/// The label of a study, and whether a run said the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledVerdict {
    pub label: Label,
    pub is_right: bool,
}

/// The verdict of a run on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunVerdict {
    Met,
    Unmet,
    /// An answer such as "Partial": neither, by its own words. The paper's
    /// authors took each for one or the other by reading it.
    Mixed,
    /// Inconclusive, not comparable, or no verdict.
    Undecided,
}

impl From<Option<Outcome>> for RunVerdict {
    fn from(outcome: Option<Outcome>) -> Self {
        match outcome {
            Some(Outcome::Met) => Self::Met,
            Some(Outcome::Unmet) => Self::Unmet,
            Some(Outcome::Inconclusive | Outcome::NotComparable) | None => Self::Undecided,
        }
    }
}

/// The studies of one label, by what the runs concluded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeCounts {
    pub met: u64,
    pub unmet: u64,
    /// Of both: wrong, and shown apart.
    #[serde(default)]
    pub mixed: u64,
    /// Inconclusive, not comparable, or no verdict: wrong, and shown apart.
    pub undecided: u64,
}

/// Precision, recall and F1 averaged over the two labels, 0 where undefined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Macro {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// The score of always answering the commoner label on the same studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub answer: Label,
    pub accuracy: Proportion,
    pub interval: Option<Interval>,
    pub macro_f1: f64,
}

/// Verdicts scored against labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeScore {
    pub labelled_met: OutcomeCounts,
    pub labelled_unmet: OutcomeCounts,
    /// Runs that are right, of all; a mixed or undecided verdict counts as wrong.
    pub accuracy: Proportion,
    /// Studies that the runs are of: runs of one study are repeats.
    #[serde(default)]
    pub studies: u64,
    /// Mean over studies of the share of their runs that is right; equal to
    /// [`Self::accuracy`] where every study has one run.
    #[serde(default)]
    pub by_study: Option<f64>,
    /// Wilson, 95 %, of [`Self::by_study`] with n the number of studies; absent of no study.
    pub accuracy_interval: Option<Interval>,
    /// The accuracy if every mixed verdict is read in favour of its label: with
    /// [`Self::accuracy`] the range that reading them can give.
    #[serde(default)]
    pub most: Proportion,
    #[serde(default)]
    pub most_interval: Option<Interval>,
    /// Of the runs with a decided verdict only.
    pub decided_accuracy: Proportion,
    #[serde(default)]
    pub decided_interval: Option<Interval>,
    pub macro_average: Macro,
    /// Absent of no study.
    pub baseline: Option<Baseline>,
}

/// Scores verdicts, each with its study; `None` stands for a run without any.
pub fn score<K: Ord, S: Into<RunVerdict>>(verdicts: impl IntoIterator<Item = (K, Label, S)>) -> OutcomeScore {
    let (mut met, mut unmet) = (OutcomeCounts::default(), OutcomeCounts::default());
    let mut studies: BTreeMap<K, Vec<(Label, RunVerdict)>> = BTreeMap::new();
    for (study, label, verdict) in verdicts {
        let verdict = verdict.into();
        let row = match label {
            Label::Met => &mut met,
            Label::Unmet => &mut unmet,
        };
        match verdict {
            RunVerdict::Met => row.met += 1,
            RunVerdict::Unmet => row.unmet += 1,
            RunVerdict::Mixed => row.mixed += 1,
            RunVerdict::Undecided => row.undecided += 1,
        }
        studies.entry(study).or_default().push((label, verdict));
    }
    let runs: Vec<Vec<(Label, RunVerdict)>> = studies.into_values().collect();
    let accuracy = Shares::count(&runs, |label, said| Some(said == label.into()));
    let most = Shares::count(&runs, |label, said| {
        Some(said == label.into() || said == RunVerdict::Mixed)
    });
    let decided = Shares::count(&runs, |label, said| {
        matches!(said, RunVerdict::Met | RunVerdict::Unmet).then_some(said == label.into())
    });
    OutcomeScore {
        labelled_met: met,
        labelled_unmet: unmet,
        accuracy: accuracy.runs,
        studies: accuracy.studies,
        by_study: accuracy.mean,
        accuracy_interval: accuracy.interval(),
        most: most.runs,
        most_interval: most.interval(),
        decided_accuracy: decided.runs,
        decided_interval: decided.interval(),
        macro_average: macro_average(met.as_wrong(met.met), unmet.as_wrong(unmet.unmet)),
        baseline: (accuracy.runs.of > 0).then(|| baseline(met.total(), unmet.total(), &runs)),
    }
}

impl OutcomeScore {
    /// True if any study has several runs.
    pub fn has_repeats(&self) -> bool {
        self.studies < self.accuracy.of
    }

    /// The caution that several runs of one study ask for, as a sentence.
    pub fn repeats_caution(&self) -> Option<String> {
        let mean = self.by_study.filter(|_| self.has_repeats())?;
        Some(format!(
            "{} runs of {}: runs of one study are repeats, so the mean over studies, {:.2} %, has the interval, with n \
             the number of studies.",
            self.accuracy.of,
            format::counted(self.studies, "study", "studies"),
            100.0 * mean
        ))
    }
}

impl From<Label> for RunVerdict {
    fn from(label: Label) -> Self {
        match label {
            Label::Met => Self::Met,
            Label::Unmet => Self::Unmet,
        }
    }
}

/// A share over runs, and over studies with the runs of each averaged.
struct Shares {
    runs: Proportion,
    studies: u64,
    mean: Option<f64>,
}

impl Shares {
    /// Counts what holds of the runs of each study; `None` leaves a run out.
    fn count(
        studies: &[Vec<(Label, RunVerdict)>],
        holds: impl Fn(Label, RunVerdict) -> Option<bool>,
    ) -> Self {
        let of_study = |runs: &Vec<(Label, RunVerdict)>| {
            Proportion::count(runs.iter().filter_map(|(label, said)| holds(*label, *said)))
        };
        let each: Vec<Proportion> = studies
            .iter()
            .map(of_study)
            .filter(|share| share.of > 0)
            .collect();
        let shares: Vec<f64> = each.iter().filter_map(|share| share.share()).collect();
        Self {
            runs: Proportion {
                hits: each.iter().map(|share| share.hits).sum(),
                of: each.iter().map(|share| share.of).sum(),
            },
            studies: shares.len() as u64,
            mean: (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64),
        }
    }

    /// Repeats of a study are not independent, so a study counts once: a share
    /// between 0 and 1 varies less than a yes or no does, and the interval is wide enough.
    fn interval(&self) -> Option<Interval> {
        if self.studies == self.runs.of {
            return self.runs.wilson();
        }
        wilson_of_mean(self.mean?, self.studies)
    }
}

impl OutcomeCounts {
    fn total(self) -> u64 {
        self.met + self.unmet + self.mixed + self.undecided
    }

    /// Right answers, and all others taken for the other label.
    fn as_wrong(self, right: u64) -> LabelAnswers {
        LabelAnswers {
            right,
            wrong: self.total() - right,
        }
    }
}

/// The answers to the runs of one label.
#[derive(Clone, Copy)]
struct LabelAnswers {
    right: u64,
    /// Answers with the other label, whose false alarms they are.
    wrong: u64,
}

fn macro_average(met: LabelAnswers, unmet: LabelAnswers) -> Macro {
    let share = |part: u64, rest: u64| {
        Proportion {
            hits: part,
            of: part + rest,
        }
        .share()
        .unwrap_or(0.0)
    };
    let each = [(met, unmet), (unmet, met)].map(|(own, other)| Macro {
        precision: share(own.right, other.wrong),
        recall: share(own.right, own.wrong),
        // Equal to the harmonic mean, and defined where one part is not.
        f1: share(2 * own.right, own.wrong + other.wrong),
    });
    let mean = |of: fn(&Macro) -> f64| each.iter().map(of).sum::<f64>() / 2.0;
    Macro {
        precision: mean(|one| one.precision),
        recall: mean(|one| one.recall),
        f1: mean(|one| one.f1),
    }
}

fn baseline(met: u64, unmet: u64, studies: &[Vec<(Label, RunVerdict)>]) -> Baseline {
    let (answer, hits) = if met >= unmet {
        (Label::Met, met)
    } else {
        (Label::Unmet, unmet)
    };
    let right = |count: u64| LabelAnswers {
        right: count,
        wrong: 0,
    };
    let wrong = |count: u64| LabelAnswers {
        right: 0,
        wrong: count,
    };
    let average = match answer {
        Label::Met => macro_average(right(met), wrong(unmet)),
        Label::Unmet => macro_average(wrong(met), right(unmet)),
    };
    Baseline {
        answer,
        accuracy: Proportion {
            hits,
            of: met + unmet,
        },
        interval: Shares::count(studies, |label, _| Some(label == answer)).interval(),
        macro_f1: average.f1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score_of(met: (usize, usize), unmet: (usize, usize), undecided: usize) -> OutcomeScore {
        let wrong = |label: Label| match label {
            Label::Met => Outcome::Unmet,
            Label::Unmet => Outcome::Met,
        };
        let mut verdicts = Vec::new();
        for (label, (right, of), answer) in [
            (Label::Met, met, Outcome::Met),
            (Label::Unmet, unmet, Outcome::Unmet),
        ] {
            for position in 0..of {
                let missed = Some(wrong(label)).filter(|_| position < of - undecided);
                verdicts.push((
                    verdicts.len(),
                    label,
                    if position < right { Some(answer) } else { missed },
                ));
            }
        }
        score(verdicts)
    }

    fn percents(score: &OutcomeScore) -> [f64; 4] {
        let all = score.macro_average;
        [score.accuracy.share().unwrap(), all.precision, all.recall, all.f1]
            .map(|share| (share * 1e4).round() / 100.0)
    }

    #[test]
    fn the_papers_rows() {
        assert_eq!(
            percents(&score_of((10, 14), (5, 5), 0)),
            [78.95, 77.78, 85.71, 77.38]
        );
        assert_eq!(
            percents(&score_of((4, 14), (3, 5), 0)),
            [36.84, 44.87, 44.29, 36.67]
        );
        assert_eq!(percents(&score_of((8, 14), (3, 5), 0))[2], 58.57);
    }

    #[test]
    fn undecided_is_wrong_and_shown() {
        let score = score_of((10, 14), (5, 5), 4);
        assert_eq!(percents(&score), [78.95, 77.78, 85.71, 77.38]);
        assert_eq!(score.labelled_met.undecided, 4);
        assert_eq!(score.decided_accuracy.to_string(), "15/15");
    }

    #[test]
    fn the_trivial_answer_stands_beside() {
        let baseline = score_of((4, 4), (15, 15), 0).baseline.unwrap();
        assert_eq!(
            (baseline.answer, baseline.accuracy.to_string().as_str()),
            (Label::Unmet, "15/19")
        );
        assert_eq!((baseline.macro_f1 * 100.0).round(), 44.0);
        assert_eq!(score::<u8, RunVerdict>([]).baseline, None);
        assert_eq!(score([(1, Label::Met, None)]).labelled_met.undecided, 1);
    }

    #[test]
    fn mixed_is_wrong_and_its_reading_gives_a_range() {
        let score = score([
            (1, Label::Met, RunVerdict::Mixed),
            (2, Label::Unmet, RunVerdict::Mixed),
            (3, Label::Met, RunVerdict::Met),
            (4, Label::Met, RunVerdict::Undecided),
        ]);
        assert_eq!((score.labelled_met.mixed, score.labelled_unmet.mixed), (1, 1));
        let shown = [score.accuracy, score.most, score.decided_accuracy].map(|one| one.to_string());
        assert_eq!(shown, ["1/4", "3/4", "1/1"]);
    }

    #[test]
    fn repeats_of_a_study_count_as_one_study() {
        let right = |study: u8, right: bool| {
            let said = if right { RunVerdict::Met } else { RunVerdict::Unmet };
            (study, Label::Met, said)
        };
        let once = score([right(1, true), right(2, false)]);
        assert_eq!((once.has_repeats(), once.by_study), (false, Some(0.5)));
        assert_eq!(once.accuracy_interval, once.accuracy.wilson());
        let often = score([
            right(1, true),
            right(1, true),
            right(1, true),
            right(1, true),
            right(2, false),
        ]);
        assert_eq!((often.studies, often.accuracy.to_string().as_str()), (2, "4/5"));
        assert_eq!((often.has_repeats(), often.by_study), (true, Some(0.5)));
        // Five runs of two studies say no more of other studies than two runs do.
        let (five, two) = (often.accuracy_interval.unwrap(), once.accuracy_interval.unwrap());
        assert!((five.lower - two.lower).abs() < 1e-12 && (five.upper - two.upper).abs() < 1e-12);
        assert_eq!(often.baseline.unwrap().interval, wilson_of_mean(1.0, 2));
    }
}
