//! All measures of one table.

use serde::{Deserialize, Serialize};

use super::chance::{alpha_of_table, quadratic_kappa};
use super::rank::{kendall, spearman};
use super::table::AgreementTable;
use crate::statistics::proportion::Proportion;

/// Agreement of a judge with a person; each measure `None` where the marks do
/// not vary enough to define it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The confusion table, judge by human.
    pub table: AgreementTable,
    pub exact: Proportion,
    /// At most one step apart.
    pub within_one: Proportion,
    /// Mean of judge minus human, in steps of the scale.
    pub bias: Option<f64>,
    pub quadratic_kappa: Option<f64>,
    pub ordinal_alpha: Option<f64>,
    pub spearman: Option<f64>,
    pub kendall: Option<f64>,
    /// Of two-valued marks alone.
    #[serde(default)]
    pub rates: Option<Rates>,
}

/// The rates at which a judge agrees with a person's passes and fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// Passed by the judge, of what the person passes: the sensitivity.
    pub true_positive: Proportion,
    /// Failed by the judge, of what the person fails: the specificity.
    pub true_negative: Proportion,
}

impl Rates {
    /// The rates of a table of two categories; `None` of any other.
    pub fn from_table(table: &AgreementTable) -> Option<Self> {
        let [both_fail, judge_fails, judge_passes, both_pass] = table.counts() else {
            return None;
        };
        Some(Self {
            true_positive: Proportion {
                hits: *both_pass,
                of: both_pass + judge_fails,
            },
            true_negative: Proportion {
                hits: *both_fail,
                of: both_fail + judge_passes,
            },
        })
    }
}

impl Agreement {
    /// Measures the agreement that a table holds.
    pub fn from_table(table: AgreementTable) -> Self {
        let near = |steps: usize| Proportion {
            hits: table
                .cells()
                .filter(|cell| cell.judge.abs_diff(cell.human) <= steps)
                .map(|cell| cell.count)
                .sum(),
            of: table.n(),
        };
        Self {
            exact: near(0),
            within_one: near(1),
            bias: bias(&table),
            quadratic_kappa: quadratic_kappa(&table),
            ordinal_alpha: alpha_of_table(&table),
            spearman: spearman(&table),
            kendall: kendall(&table),
            rates: Rates::from_table(&table),
            table,
        }
    }
}

/// Mean of judge minus human.
pub fn bias(table: &AgreementTable) -> Option<f64> {
    let total: f64 = (table.cells())
        .map(|cell| (cell.judge as f64 - cell.human as f64) * cell.count as f64)
        .sum();
    (table.n() > 0).then(|| total / table.n() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::agreement::table::Rating;

    #[test]
    fn rates_are_of_what_the_person_says() {
        // Judge and person: both pass 3, the judge alone 2, the person alone 1, neither 4.
        let marks = [(1, 1, 3), (1, 0, 2), (0, 1, 1), (0, 0, 4)];
        let ratings: Vec<Rating> = (marks.iter())
            .flat_map(|(judge, human, count)| {
                std::iter::repeat_n((*judge, *human), *count).map(|(judge, human)| Rating {
                    paper: "p".to_owned(),
                    judge: Some(judge),
                    human: Some(human),
                })
            })
            .collect();
        let found = Agreement::from_table(AgreementTable::from_ratings(&ratings, 2).unwrap())
            .rates
            .unwrap();
        assert_eq!(found.true_positive, Proportion { hits: 3, of: 4 });
        assert_eq!(found.true_negative, Proportion { hits: 4, of: 6 });
        assert_eq!(
            Agreement::from_table(AgreementTable::from_ratings(&ratings, 4).unwrap()).rates,
            None
        );
    }
}
