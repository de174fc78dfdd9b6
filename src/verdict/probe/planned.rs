//! The plan's statements on a result, as far as reruns can tell it.

use crate::domain::refit::Refit;

/// The reruns that are due by the plan; by default none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlannedReruns {
    /// Whether results on a permuted column are due to lie about the null: the null is
    /// that of no effect, and the statistic tests against it.
    pub about_null: bool,
    /// The level of the significance test, and how many sides it has.
    pub level: Option<(f64, u8)>,
    /// The columns of an interaction beside the focal one.
    pub parts: Vec<String>,
    pub outcome: Option<OutcomeColumn>,
    /// Whether outcome and focal predictor are numbers of one file, and the estimate is
    /// of the predictor itself.
    pub alignable: bool,
    /// Whether the plan says that something may be turned round.
    pub turns: bool,
    /// Whether the plan compares values of the same unit, which no permutation undoes.
    pub paired: bool,
    /// Whether the plan's errors allow for rows that belong together, which permuting
    /// row by row takes apart.
    pub clustered: bool,
    /// The column of groups within which the focal one is constant: it is permuted by these.
    pub assigned: Option<String>,
    /// The outcome by level of the focal column.
    pub levels: Vec<FocalLevel>,
    /// The planned model, if it was fitted again.
    pub refit: Option<Refit>,
}

/// The column of the planned outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeColumn {
    pub name: String,
    /// Whether the plan names it as the whole outcome.
    pub sure: bool,
}

/// The rows of the data file that have one value of the focal column, and an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct FocalLevel {
    pub name: String,
    pub n: u64,
    pub mean: f64,
}
