//! Verdicts of runs against the verdicts of human replicators.

use serde::{Deserialize, Serialize};

use super::proportion::Proportion;
use crate::domain::finding::Interval;
use crate::domain::verdict::Outcome;

/// What people concluded of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    Met,
    Unmet,
}

/// What a run says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Met,
    Unmet,
    /// An answer such as "Partial": neither, by its own words. The paper's
    /// authors took each for one or the other by reading it.
    Mixed,
    /// Inconclusive, not comparable, or no verdict.
    Undecided,
}

impl From<Option<Outcome>> for Said {
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
pub struct Row {
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

/// What always answering the commoner label scores on the same studies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub answer: Label,
    pub accuracy: Proportion,
    pub macro_f1: f64,
}

/// Verdicts scored against labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeScore {
    pub labelled_met: Row,
    pub labelled_unmet: Row,
    /// A mixed or undecided verdict counts as wrong.
    pub accuracy: Proportion,
    /// Wilson, 95 %; absent of no study.
    pub accuracy_interval: Option<Interval>,
    /// The accuracy if every mixed verdict is read in favour of its label: with
    /// [`Self::accuracy`] the range that reading them can give.
    #[serde(default)]
    pub most: Proportion,
    /// Of the studies with a decided verdict only.
    pub decided_accuracy: Proportion,
    pub macro_average: Macro,
    /// Absent of no study.
    pub baseline: Option<Baseline>,
}

/// Scores one verdict a study; `None` stands for a run without any.
pub fn score<S: Into<Said>>(verdicts: impl IntoIterator<Item = (Label, S)>) -> OutcomeScore {
    let (mut met, mut unmet) = (Row::default(), Row::default());
    for (label, verdict) in verdicts {
        let row = match label {
            Label::Met => &mut met,
            Label::Unmet => &mut unmet,
        };
        match verdict.into() {
            Said::Met => row.met += 1,
            Said::Unmet => row.unmet += 1,
            Said::Mixed => row.mixed += 1,
            Said::Undecided => row.undecided += 1,
        }
    }
    let of = met.total() + unmet.total();
    let hits = met.met + unmet.unmet;
    let accuracy = Proportion { hits, of };
    OutcomeScore {
        labelled_met: met,
        labelled_unmet: unmet,
        accuracy_interval: accuracy.wilson(),
        accuracy,
        decided_accuracy: Proportion {
            hits,
            of: met.met + met.unmet + unmet.met + unmet.unmet,
        },
        most: Proportion {
            hits: hits + met.mixed + unmet.mixed,
            of,
        },
        macro_average: macro_average(met.as_wrong(met.met), unmet.as_wrong(unmet.unmet)),
        baseline: (of > 0).then(|| baseline(met.total(), unmet.total())),
    }
}

impl Row {
    fn total(self) -> u64 {
        self.met + self.unmet + self.mixed + self.undecided
    }

    /// Right answers, and all others taken for the other label.
    fn as_wrong(self, right: u64) -> (u64, u64) {
        (right, self.total() - right)
    }
}

/// From right and wrong of each label; wrong ones are false alarms of the other.
fn macro_average(met: (u64, u64), unmet: (u64, u64)) -> Macro {
    let share = |part: u64, rest: u64| {
        Proportion {
            hits: part,
            of: part + rest,
        }
        .share()
        .unwrap_or(0.0)
    };
    let each = [(met, unmet.1), (unmet, met.1)].map(|((right, missed), alarms)| Macro {
        precision: share(right, alarms),
        recall: share(right, missed),
        // Equal to the harmonic mean, and defined where one part is not.
        f1: share(2 * right, missed + alarms),
    });
    let mean = |of: fn(&Macro) -> f64| each.iter().map(of).sum::<f64>() / 2.0;
    Macro {
        precision: mean(|one| one.precision),
        recall: mean(|one| one.recall),
        f1: mean(|one| one.f1),
    }
}

fn baseline(met: u64, unmet: u64) -> Baseline {
    let (answer, hits) = if met >= unmet {
        (Label::Met, met)
    } else {
        (Label::Unmet, unmet)
    };
    let rows = match answer {
        Label::Met => ((met, 0), (0, unmet)),
        Label::Unmet => ((0, met), (unmet, 0)),
    };
    Baseline {
        answer,
        accuracy: Proportion {
            hits,
            of: met + unmet,
        },
        macro_f1: macro_average(rows.0, rows.1).f1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(met: (usize, usize), unmet: (usize, usize), undecided: usize) -> OutcomeScore {
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
                verdicts.push((label, if position < right { Some(answer) } else { missed }));
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
        assert_eq!(percents(&of((10, 14), (5, 5), 0)), [78.95, 77.78, 85.71, 77.38]);
        assert_eq!(percents(&of((4, 14), (3, 5), 0)), [36.84, 44.87, 44.29, 36.67]);
        assert_eq!(percents(&of((8, 14), (3, 5), 0))[2], 58.57);
    }

    #[test]
    fn undecided_is_wrong_and_shown() {
        let score = of((10, 14), (5, 5), 4);
        assert_eq!(percents(&score), [78.95, 77.78, 85.71, 77.38]);
        assert_eq!(score.labelled_met.undecided, 4);
        assert_eq!(score.decided_accuracy.to_string(), "15/15");
    }

    #[test]
    fn the_trivial_answer_stands_beside() {
        let baseline = of((4, 4), (15, 15), 0).baseline.unwrap();
        assert_eq!(
            (baseline.answer, baseline.accuracy.to_string().as_str()),
            (Label::Unmet, "15/19")
        );
        assert_eq!((baseline.macro_f1 * 100.0).round(), 44.0);
        assert_eq!(score::<Said>([]).baseline, None);
        assert_eq!(score([(Label::Met, None)]).labelled_met.undecided, 1);
    }

    #[test]
    fn mixed_is_wrong_and_its_reading_gives_a_range() {
        let score = score([
            (Label::Met, Said::Mixed),
            (Label::Unmet, Said::Mixed),
            (Label::Met, Said::Met),
            (Label::Met, Said::Undecided),
        ]);
        assert_eq!((score.labelled_met.mixed, score.labelled_unmet.mixed), (1, 1));
        let shown = [score.accuracy, score.most, score.decided_accuracy].map(|one| one.to_string());
        assert_eq!(shown, ["1/4", "3/4", "1/1"]);
    }
}
