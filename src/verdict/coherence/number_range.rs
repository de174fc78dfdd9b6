//! A range of numbers: the values that a printed one can stand for, or their p-values.

/// A range with both of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    pub low: f64,
    pub high: f64,
}

impl NumberRange {
    /// The range of the halves of its numbers: from p-values of two sides, those of one.
    #[must_use]
    pub fn half(self) -> Self {
        Self {
            low: self.low / 2.0,
            high: self.high / 2.0,
        }
    }
}
