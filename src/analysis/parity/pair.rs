//! Two findings that are one, number by number.

use serde::{Deserialize, Serialize};

use super::align::PairBasis;
use super::printed::Reported;
use crate::domain::finding::{Direction, Finding};

/// A finding of the first run and its partner of the second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    pub first: Finding,
    pub second: Finding,
    /// What the pair is based on.
    pub by: PairBasis,
    /// Whether a verdict was applied to either.
    pub focal: bool,
    /// (second − first) / |first|; `None` where it cannot be formed.
    pub relative_difference: Option<f64>,
    pub same_sign: Option<bool>,
    pub same_n: Option<bool>,
    /// Whether both can be roundings of one number, for each number; `None`
    /// where a side lacks it.
    pub estimates_agree: Option<bool>,
    pub errors_agree: Option<bool>,
    pub p_values_agree: Option<bool>,
}

impl Pair {
    pub fn new(first: &Reported, second: &Reported, by: PairBasis, focal: bool) -> Self {
        let estimates = first.finding.estimate.zip(second.finding.estimate);
        let relative = estimates.map(|(one, two)| (two - one) / one.abs());
        let signs = estimates.filter(|(one, two)| !one.is_nan() && !two.is_nan());
        Self {
            by,
            focal,
            relative_difference: relative.filter(|difference| difference.is_finite()),
            same_sign: signs.map(|(one, two)| Direction::from_value(one) == Direction::from_value(two)),
            same_n: first.same_n(second),
            estimates_agree: first.estimates_agree(second),
            errors_agree: first.errors_agree(second),
            p_values_agree: first.p_values_agree(second),
            first: first.finding.clone(),
            second: second.finding.clone(),
        }
    }

    /// Whether every number that both give agrees, and there is one.
    pub fn agrees(&self) -> bool {
        let compared = [
            self.same_n,
            self.estimates_agree,
            self.errors_agree,
            self.p_values_agree,
        ];
        self.estimates_agree == Some(true) && !compared.contains(&Some(false))
    }

    /// Whether the estimates have opposite signs.
    pub fn signs_differ(&self) -> bool {
        self.same_sign == Some(false)
    }

    /// What one side gives and the other does not: for the first, and for the second run.
    pub fn missing(&self) -> [Vec<&'static str>; 2] {
        let given = |finding: &Finding| {
            [
                ("estimate", finding.estimate.is_some()),
                ("standard error", finding.standard_error.is_some()),
                ("p-value", finding.p_value.is_some()),
                ("N", finding.n.is_some()),
            ]
        };
        let lacks = |one: &Finding, other: &Finding| {
            let both = given(one).into_iter().zip(given(other));
            both.filter(|((_, here), (_, there))| !here && *there)
                .map(|((what, _), _)| what)
                .collect()
        };
        [lacks(&self.first, &self.second), lacks(&self.second, &self.first)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pair(one: Option<f64>, two: Option<f64>) -> Pair {
        let reported = |estimate| {
            Reported::from_finding(Finding {
                estimate,
                ..Finding::default()
            })
        };
        Pair::new(&reported(one), &reported(two), PairBasis::Name, false)
    }

    #[test]
    fn differences_are_relative_to_the_first_run() {
        assert_eq!(pair(Some(-2.0), Some(-3.0)).relative_difference, Some(-0.5));
        assert_eq!(pair(Some(0.0), Some(1.0)).relative_difference, None);
        assert!(pair(Some(1.0), Some(-1.0)).signs_differ());
        assert_eq!(pair(Some(0.0), Some(0.0)).same_sign, Some(true));
        assert_eq!(pair(Some(1.0), None).missing(), [vec![], vec!["estimate"]]);
        assert!(pair(Some(1.5), Some(1.5)).agrees() && !pair(None, None).agrees());
    }

    proptest! {
        #[test]
        fn no_number_is_too_strange(one in any::<f64>(), two in any::<f64>()) {
            let pair = pair(Some(one), Some(two));
            prop_assert!(pair.relative_difference.is_none_or(f64::is_finite));
            prop_assert!(serde_json::to_string(&pair).is_ok());
            if one.is_nan() || two.is_nan() {
                prop_assert!(!pair.agrees() && pair.same_sign.is_none());
            }
        }
    }
}
