//! The correspondence test: do two estimates differ, and are they close enough?
//!
//! Source: Steiner and Wong (2018), Evaluation Review 42, 214, who join a test
//! of difference with one of equivalence.

use super::distributions::{normal_two_sided, normal_upper};

/// The joint result of the two tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correspondence {
    /// Close enough, and no difference is seen.
    Equivalence,
    /// A difference is seen, and it is smaller than the threshold.
    TrivialDifference,
    /// A difference is seen, and it may be as large as the threshold.
    Difference,
    /// Neither test is significant.
    Indeterminate,
}

/// The two tests' p-values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrespondenceTest {
    /// Two-sided, of no difference.
    pub difference: f64,
    /// The larger of the two one-sided tests against the threshold.
    pub equivalence: f64,
}

impl CorrespondenceTest {
    /// The tests of a difference with its standard error, against a threshold in
    /// its unit.
    pub fn new(difference: f64, standard_error: f64, threshold: f64) -> Self {
        let nearest = (threshold - difference.abs()) / standard_error;
        Self {
            difference: normal_two_sided(difference / standard_error),
            equivalence: normal_upper(nearest),
        }
    }

    /// What they say at `alpha`.
    pub fn conclude(self, alpha: f64) -> Correspondence {
        match (self.difference <= alpha, self.equivalence <= alpha) {
            (false, true) => Correspondence::Equivalence,
            (true, true) => Correspondence::TrivialDifference,
            (true, false) => Correspondence::Difference,
            (false, false) => Correspondence::Indeterminate,
        }
    }
}

impl Correspondence {
    /// Whether the two estimates correspond; none where the tests do not tell.
    pub fn holds(self) -> Option<bool> {
        match self {
            Self::Equivalence | Self::TrivialDifference => Some(true),
            Self::Difference => Some(false),
            Self::Indeterminate => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_four_answers() {
        let conclude = |difference, error| CorrespondenceTest::new(difference, error, 0.2).conclude(0.05);
        assert_eq!(conclude(0.02, 0.05), Correspondence::Equivalence);
        assert_eq!(conclude(-0.12, 0.03), Correspondence::TrivialDifference);
        assert_eq!(conclude(0.25, 0.05), Correspondence::Difference);
        assert_eq!(conclude(-0.15, 0.1), Correspondence::Indeterminate);
    }

    #[test]
    fn p_values_of_both_tests() {
        // R: 2 * pnorm(-2.4); pnorm((.12 - .2) / .05)
        let test = CorrespondenceTest::new(-0.12, 0.05, 0.2);
        assert!(
            (test.difference - 0.016_395_071_849_192_24).abs() < 1e-8,
            "{test:?}"
        );
        assert!(
            (test.equivalence - 0.054_799_291_699_557_95).abs() < 1e-8,
            "{test:?}"
        );
    }
}
