//! Meanings of the labels of columns and values.

use super::printed_row::PrintedKind;
use crate::domain::scale::Scale;

/// The quantity that a label names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    Term,
    Outcome,
    Model,
    Estimate(Option<Scale>),
    StandardError,
    Statistic(PrintedKind),
    Df,
    NumeratorDf,
    DenominatorDf,
    /// With the number of sides, where the label says it.
    P(Option<u8>),
    /// A p-value adjusted for several comparisons.
    AdjustedP,
    Lower,
    Upper,
    /// Both bounds of an interval under one label.
    Bounds,
    Count,
    Unknown,
}

/// A label with what it says beside the quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    pub meaning: Meaning,
    /// Coverage of an interval, between 0 and 1.
    pub level: Option<f64>,
    /// The scale that a bound or a standard error says it is on: `Some(true)` for a ratio.
    pub of_ratio: Option<bool>,
}

impl Label {
    pub const fn plain(meaning: Meaning) -> Self {
        Self {
            meaning,
            level: None,
            of_ratio: None,
        }
    }

    pub fn is_known(self) -> bool {
        self.meaning != Meaning::Unknown
    }

    /// Whether the label is of a number that tells a result.
    pub fn is_result(self) -> bool {
        matches!(
            self.meaning,
            Meaning::Estimate(_)
                | Meaning::StandardError
                | Meaning::Statistic(_)
                | Meaning::P(_)
                | Meaning::AdjustedP
                | Meaning::Lower
                | Meaning::Upper
                | Meaning::Bounds
        )
    }
}
