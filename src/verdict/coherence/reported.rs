//! Statistics as a text prints them.

use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::finding::Relation;

use super::number_range::NumberRange;

/// A printed number, standing for every value that rounds to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded {
    pub value: f64,
    /// Digits behind the decimal point.
    pub decimals: i32,
}

impl Rounded {
    /// Reads digits as printed, such as `-.50`, `1,234.5` or `0,599`; blanks may part thousands.
    pub fn parse(text: &str) -> Option<Self> {
        let number = BareNumber::parse(&text.replace(' ', ""), NumberForm::Printed)?;
        Some(Self {
            value: number.value,
            decimals: number.decimals,
        })
    }

    /// The values that round to it, whichever way halves go.
    pub fn range(self) -> NumberRange {
        let half = 0.5 * 10f64.powi(-self.decimals) * (1.0 + 1e-9);
        NumberRange {
            low: self.value - half,
            high: self.value + half,
        }
    }

    /// The range of the magnitude.
    pub fn magnitude(self) -> NumberRange {
        let NumberRange { low, high } = self.range();
        if low <= 0.0 && high >= 0.0 {
            NumberRange {
                low: 0.0,
                high: high.max(-low),
            }
        } else {
            NumberRange {
                low: low.abs().min(high.abs()),
                high: low.abs().max(high.abs()),
            }
        }
    }
}

/// A test statistic with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReportedStatistic {
    T {
        df: Rounded,
    },
    F {
        numerator: Rounded,
        denominator: Rounded,
    },
    ChiSquared {
        df: Rounded,
    },
    /// A correlation with n - 2 degrees of freedom.
    R {
        df: Rounded,
    },
    Z,
}

/// A p-value as printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportedP {
    pub relation: Relation,
    pub value: Rounded,
}

impl ReportedP {
    /// Whether a range of p-values holds one that it may stand for.
    pub fn admits(self, range: NumberRange) -> bool {
        let NumberRange { low, high } = range;
        let own = self.value.range();
        match self.relation {
            Relation::Equal => low <= own.high && high >= own.low,
            Relation::Less => low < self.value.value * (1.0 + 1e-9),
            Relation::Greater => high > self.value.value * (1.0 - 1e-9),
        }
    }
}

/// The words around a passage that tell of its p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurroundingWords {
    /// That it is of a one-sided test.
    pub one_sided: bool,
    /// That it is made larger for several comparisons.
    pub adjusted: bool,
}

/// One passage on one effect; the parts that it does not print are absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportedEffect {
    /// The passage, as printed.
    pub passage: String,
    pub estimate: Option<Rounded>,
    /// Whether the estimate is a ratio, whose interval holds 1 where there is no effect.
    pub is_ratio: bool,
    pub standard_error: Option<Rounded>,
    pub statistic: Option<(ReportedStatistic, Rounded)>,
    pub p: Option<ReportedP>,
    pub interval: Option<(Rounded, Rounded)>,
    /// Between 0 and 1; 0.95 where an interval has none printed.
    pub level: Option<f64>,
    pub said: SurroundingWords,
}
