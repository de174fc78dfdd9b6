//! One row of a program's printed results.

use std::fmt;

use crate::domain::finding::{Direction, Relation};
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, StatisticKind};

/// A number as it was printed: the text keeps its precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    pub value: f64,
    pub text: String,
}

/// The name under which a program prints a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedKind {
    T,
    Z,
    F,
    ChiSquared,
    /// Rank sum of Mann and Whitney as scipy and SPSS count it.
    U,
    /// Rank sum as R counts it, or Wilk's statistic.
    W,
    /// Signed ranks as R counts them.
    V,
    H,
    /// A column that says only 'statistic'.
    Other,
}

impl From<PrintedKind> for StatisticKind {
    fn from(kind: PrintedKind) -> Self {
        Self::parse(&kind.to_string())
    }
}

impl fmt::Display for PrintedKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::T => "t",
            Self::Z => "z",
            Self::F => "F",
            Self::ChiSquared => "chi2",
            Self::U => "U",
            Self::W => "W",
            Self::V => "V",
            Self::H => "H",
            Self::Other => "statistic",
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PrintedStatistic {
    pub kind: PrintedKind,
    pub value: Printed,
    pub df: Option<DegreesOfFreedom>,
}

/// A p-value, or the bound that digits or stars give.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedP {
    pub relation: Relation,
    pub value: f64,
    pub text: String,
    /// 1 or 2 where the output says so.
    pub sides: Option<u8>,
    /// The side that a one-sided test looks at.
    pub alternative: Option<Direction>,
    /// By what it was raised for others of its family, where the output says so.
    pub adjusted: Option<String>,
    pub from_stars: bool,
}

/// An interval; a bound that was printed as infinite is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedInterval {
    pub lower: Option<Printed>,
    pub upper: Option<Printed>,
    /// Coverage between 0 and 1.
    pub level: Option<f64>,
}

/// The mean or share of one group, as a two-sample test prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedGroup {
    pub name: String,
    pub mean: Printed,
}

/// One printed row of a table, test or labelled line on a term.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PrintedRow {
    pub term: String,
    pub estimate: Option<Printed>,
    /// Absent where the output does not name it.
    pub scale: Option<Scale>,
    pub standard_error: Option<Printed>,
    pub statistic: Option<PrintedStatistic>,
    pub p: Option<PrintedP>,
    pub interval: Option<PrintedInterval>,
    pub groups: Vec<PrintedGroup>,
    /// Observations that the model used.
    pub n: Option<u64>,
    pub outcome: Option<String>,
    /// The model, test or equation, as printed.
    pub model: Option<String>,
    /// The first line of the row, from 1.
    pub line: usize,
    /// Every line that a number of the row came from.
    pub lines: Vec<usize>,
}

impl PrintedRow {
    /// Whether the row holds a number beside its term.
    pub fn has_result(&self) -> bool {
        self.estimate.is_some()
            || self.standard_error.is_some()
            || self.statistic.is_some()
            || self.p.is_some()
            || self.interval.is_some()
    }

    /// Takes the quantities of `other` that this row lacks; refused where both hold one.
    pub fn absorb(&mut self, other: &Self) -> bool {
        let clash = (self.estimate.is_some() && other.estimate.is_some())
            || (self.standard_error.is_some() && other.standard_error.is_some())
            || (self.statistic.is_some() && other.statistic.is_some())
            || (self.p.is_some() && other.p.is_some())
            || (self.interval.is_some() && other.interval.is_some())
            || (self.n.is_some() && other.n.is_some() && self.n != other.n)
            || (self.scale.is_some() && other.scale.is_some() && self.scale != other.scale);
        if clash {
            return false;
        }
        self.estimate = self.estimate.take().or_else(|| other.estimate.clone());
        self.standard_error = self
            .standard_error
            .take()
            .or_else(|| other.standard_error.clone());
        self.statistic = self.statistic.take().or_else(|| other.statistic.clone());
        self.p = self.p.take().or_else(|| other.p.clone());
        self.interval = self.interval.take().or_else(|| other.interval.clone());
        self.scale = self.scale.or(other.scale);
        self.n = self.n.or(other.n);
        for line in &other.lines {
            if !self.lines.contains(line) {
                self.lines.push(*line);
            }
        }
        true
    }
}
