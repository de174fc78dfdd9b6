//! A reported number with what its digits leave open.

use serde::{Deserialize, Serialize};

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::scalar::Scalar;
use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::finding::{Finding, PValue, Relation};
use crate::domain::number_text;

/// Two programs differ by this share of a value even where they do the same.
const NOISE: f64 = 1e-9;

/// A number as printed: any value within `half` of it may stand behind it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Printed {
    pub value: f64,
    /// Half a unit of the last digit that was given.
    pub half: f64,
}

impl Printed {
    /// A number whose digits are those of its shortest decimal text.
    pub fn from_value(value: f64) -> Self {
        Self {
            value,
            half: half_unit(&format!("{value:e}")).unwrap_or(0.0),
        }
    }

    /// A number as its source writes it, trailing zeros included.
    pub fn read(scalar: &Scalar) -> Option<Self> {
        let value = scalar.number()?;
        let text = match scalar {
            Scalar::Absent => return None,
            Scalar::Number(number) => number.to_string(),
            Scalar::Text(text) => {
                let found = number_text::single(text)?;
                text.get(found.start..found.end).unwrap_or_default().to_owned()
            }
        };
        Some(half_unit(&text).map_or_else(|| Self::from_value(value), |half| Self { value, half }))
    }

    /// Whether both can be roundings of one value.
    pub fn agrees(self, other: Self) -> bool {
        let largest = self.value.abs().max(other.value.abs());
        let room = (self.half + other.half) * (1.0 + NOISE) + NOISE * largest;
        // A comparison with NaN is false, and infinity is nobody's rounding.
        largest.is_finite() && (self.value - other.value).abs() <= room
    }

    /// Whether what the digits leave open is at most this share of the value.
    pub fn is_within(self, share: f64) -> bool {
        self.value.is_finite() && self.value != 0.0 && self.half <= share * self.value.abs()
    }
}

/// Half a unit of the last digit of `-0.120`, `1,234`, `2.90e-8`; `None` for
/// other ways of writing a number.
fn half_unit(text: &str) -> Option<f64> {
    let number = BareNumber::parse(text, NumberForm::Printed)?;
    Some(0.5 * 10_f64.powi(-number.decimals)).filter(|half| half.is_finite())
}

/// A finding with the digits that it was reported to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    pub finding: Finding,
    pub estimate: Option<Printed>,
    pub standard_error: Option<Printed>,
    pub p_value: Option<Printed>,
}

impl Reported {
    /// The findings of a report, in its order.
    pub fn all(results: &ExecutionResults) -> Vec<Self> {
        let parts = &results.results.findings_summary;
        let findings = results.findings().into_iter();
        findings
            .zip(parts)
            .map(|(finding, part)| Self {
                estimate: Printed::read(&part.value),
                standard_error: finding
                    .standard_error
                    .and_then(|_| Printed::read(&part.standard_error)),
                // The text of a p-value may hold other numbers.
                p_value: finding.p_value.map(|p| {
                    Printed::read(&part.p_value)
                        .filter(|printed| printed.value == p.value)
                        .unwrap_or_else(|| Printed::from_value(p.value))
                }),
                finding,
            })
            .collect()
    }

    /// A finding whose numbers have the digits of their shortest text.
    pub fn from_finding(finding: Finding) -> Self {
        Self {
            estimate: finding.estimate.map(Printed::from_value),
            standard_error: finding.standard_error.map(Printed::from_value),
            p_value: finding.p_value.map(|p| Printed::from_value(p.value)),
            finding,
        }
    }

    /// Whether the estimates agree; `None` where one is missing.
    pub fn estimates_agree(&self, other: &Self) -> Option<bool> {
        Some(self.estimate?.agrees(other.estimate?))
    }

    /// Whether the standard errors agree; `None` where one is missing.
    pub fn errors_agree(&self, other: &Self) -> Option<bool> {
        Some(self.standard_error?.agrees(other.standard_error?))
    }

    /// Whether the p-values can be of one test; `None` where one is missing.
    pub fn p_values_agree(&self, other: &Self) -> Option<bool> {
        let (one, two) = (self.finding.p_value?, other.finding.p_value?);
        Some(match (one.relation, two.relation) {
            (Relation::Equal, Relation::Equal) => self.p_value?.agrees(other.p_value?),
            (Relation::Equal, _) => holds(two, self.p_value?),
            (_, Relation::Equal) => holds(one, other.p_value?),
            (Relation::Less, Relation::Greater) => two.value < one.value,
            (Relation::Greater, Relation::Less) => one.value < two.value,
            (Relation::Less, Relation::Less) | (Relation::Greater, Relation::Greater) => true,
        })
    }

    /// Whether both have the same N; `None` where one is missing.
    pub fn same_n(&self, other: &Self) -> Option<bool> {
        Some(self.finding.n? == other.finding.n?)
    }
}

/// Whether an exact p-value can stand behind a bound.
fn holds(bound: PValue, exact: Printed) -> bool {
    match bound.relation {
        Relation::Less => exact.value - exact.half < bound.value,
        Relation::Greater => exact.value + exact.half > bound.value,
        Relation::Equal => exact.agrees(Printed::from_value(bound.value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Printed {
        Printed::read(&Scalar::Text(text.to_owned())).unwrap()
    }

    #[test]
    fn digits_say_how_far_a_number_reaches() {
        for (one, other, agree) in [
            ("0.12", "0.1234", true),
            ("0.120", "0.1234", false),
            ("0.00136117", "0.001361169771", true),
            ("2.36e-08", "2.3552e-8", true),
            ("2.36e-08", "2.37e-8", true),
            ("2.36e-08", "2.38e-8", false),
            ("1,234", "1234", true),
            ("-0.5", "0.5", false),
            ("8.2 (SE 0.1)", "8.24", true),
            ("3 × 10^-5", "3.4e-5", true),
        ] {
            assert_eq!(text(one).agrees(text(other)), agree, "{one} and {other}");
            assert_eq!(text(other).agrees(text(one)), agree, "{other} and {one}");
        }
        let number = |text: &str| Printed::read(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!(number("2.0").half, 0.05);
        assert_eq!(number("4").half, 0.5);
    }

    #[test]
    fn what_is_no_number_agrees_with_nothing() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(
                !Printed::from_value(odd).agrees(Printed::from_value(odd))
                    && !Printed::from_value(odd).is_within(1.0)
            );
        }
        assert_eq!(Printed::read(&Scalar::Absent), None);
        assert!(text(&format!("1e{}", "9".repeat(4))).half.is_finite());
    }

    #[test]
    fn a_bound_agrees_with_what_it_allows() {
        let p = |relation, value| {
            Reported::from_finding(Finding {
                p_value: Some(PValue { relation, value }),
                ..Finding::default()
            })
        };
        for (one, other, agree) in [
            (p(Relation::Less, 0.001), p(Relation::Equal, 3e-8), true),
            (p(Relation::Less, 0.001), p(Relation::Equal, 0.02), false),
            (p(Relation::Greater, 0.05), p(Relation::Equal, 0.4), true),
            (p(Relation::Less, 0.05), p(Relation::Greater, 0.1), false),
            (p(Relation::Less, 0.05), p(Relation::Less, 0.01), true),
            (p(Relation::Equal, 0.036), p(Relation::Equal, 0.0361), true),
        ] {
            assert_eq!(one.p_values_agree(&other), Some(agree), "{one:?} {other:?}");
            assert_eq!(other.p_values_agree(&one), Some(agree));
        }
    }

    proptest::proptest! {
        #[test]
        fn agreement_is_mutual_and_holds_for_every_rounding(value in -1e6_f64..1e6, digits in 0_usize..9) {
            let rounded = text(&format!("{value:.digits$}"));
            proptest::prop_assert!(rounded.agrees(Printed::from_value(value)), "{rounded:?} {value}");
            proptest::prop_assert!(Printed::from_value(value).agrees(rounded));
        }
    }
}
