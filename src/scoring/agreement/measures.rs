//! All measures of one table.

use serde::{Deserialize, Serialize};

use super::chance::{alpha_of_table, quadratic_kappa};
use super::rank::{kendall, spearman};
use super::table::Table;
use crate::scoring::proportion::Proportion;

/// Agreement of a judge with a person; each measure `None` where the marks do
/// not vary enough to define it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The confusion table, judge by human.
    pub table: Table,
    pub exact: Proportion,
    /// At most one step apart.
    pub within_one: Proportion,
    /// Mean of judge minus human, in steps of the scale.
    pub bias: Option<f64>,
    pub quadratic_kappa: Option<f64>,
    pub ordinal_alpha: Option<f64>,
    pub spearman: Option<f64>,
    pub kendall: Option<f64>,
}

impl Agreement {
    /// Measures the agreement that a table holds.
    pub fn of(table: Table) -> Self {
        let near = |steps: usize| Proportion {
            hits: table
                .cells()
                .filter(|(judge, human, _)| judge.abs_diff(*human) <= steps)
                .map(|(_, _, count)| count)
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
            table,
        }
    }
}

/// Mean of judge minus human.
pub fn bias(table: &Table) -> Option<f64> {
    let total: f64 = (table.cells())
        .map(|(judge, human, count)| (judge as f64 - human as f64) * count as f64)
        .sum();
    (table.n() > 0).then(|| total / table.n() as f64)
}
