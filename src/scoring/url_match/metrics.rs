//! Precision, recall and F1 over cases and over runs.

use serde::{Deserialize, Serialize};

/// Counts of right, wrong, found and missed in one case.
///
/// `right` and `found` differ where one address answers several resources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Predicted addresses that are a resource.
    pub right: usize,
    /// Predicted addresses that are none.
    pub wrong: usize,
    /// Required resources that were found.
    pub found: usize,
    /// Required resources that were not.
    pub missed: usize,
}

/// Precision, recall and F1, each between 0 and 1, and 0 where undefined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Prf {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// One run over all its cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunScore {
    /// Means over cases.
    pub macro_average: Prf,
    /// From the counts of all cases together.
    pub micro_average: Prf,
    /// Share of cases with a required resource found.
    pub hit_any: f64,
    /// Share of cases with none missed.
    pub hit_all: f64,
    pub cases: usize,
}

/// Mean and population standard deviation over runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub mean: f64,
    pub deviation: f64,
}

/// All runs of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelScore {
    pub model: String,
    /// By position: the first run of every case, the second, and so on.
    pub runs: Vec<RunScore>,
}

impl Counts {
    /// Precision, recall and F1 of the counts.
    pub fn prf(self) -> Prf {
        let share = |part: usize, rest: usize| {
            if part + rest == 0 {
                0.0
            } else {
                part as f64 / (part + rest) as f64
            }
        };
        let (precision, recall) = (share(self.right, self.wrong), share(self.found, self.missed));
        let f1 = if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        };
        Prf {
            precision,
            recall,
            f1,
        }
    }
}

impl RunScore {
    /// The averages over cases; all zero of none.
    pub fn average(cases: &[Counts]) -> Self {
        if cases.is_empty() {
            return Self::default();
        }
        let mut total = Counts::default();
        for case in cases {
            total.right += case.right;
            total.wrong += case.wrong;
            total.found += case.found;
            total.missed += case.missed;
        }
        let mean = |of: &dyn Fn(&Counts) -> f64| cases.iter().map(of).sum::<f64>() / cases.len() as f64;
        Self {
            macro_average: Prf {
                precision: mean(&|case| case.prf().precision),
                recall: mean(&|case| case.prf().recall),
                f1: mean(&|case| case.prf().f1),
            },
            micro_average: total.prf(),
            hit_any: mean(&|case| f64::from(u8::from(case.found > 0))),
            hit_all: mean(&|case| f64::from(u8::from(case.missed == 0))),
            cases: cases.len(),
        }
    }
}

impl ModelScore {
    /// A figure's mean and population standard deviation over the runs.
    pub fn spread(&self, figure: impl Fn(&RunScore) -> f64) -> Spread {
        if self.runs.is_empty() {
            return Spread::default();
        }
        let count = self.runs.len() as f64;
        let mean = self.runs.iter().map(&figure).sum::<f64>() / count;
        let variance = self
            .runs
            .iter()
            .map(|run| (figure(run) - mean).powi(2))
            .sum::<f64>()
            / count;
        Spread {
            mean,
            deviation: variance.sqrt(),
        }
    }
}
