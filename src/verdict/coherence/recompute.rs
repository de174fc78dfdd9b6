//! The p-values that a printed statistic can have.

use crate::statistics::distributions::{chi_squared_upper, f_upper, normal_two_sided, t_two_sided};

use super::number_range::NumberRange;
use super::reported::{ReportedStatistic, Rounded};

/// Degrees of freedom up to which tails are computed.
const MOST_DF: f64 = 1e7;

/// The range of the two-sided p-value of a statistic, or of the upper tail of
/// F and chi-squared; `None` where the numbers are outside their domain.
pub fn p_range(statistic: ReportedStatistic, value: Rounded) -> Option<NumberRange> {
    let NumberRange {
        low: small,
        high: large,
    } = value.magnitude();
    let tails = |low: f64, high: f64| {
        (low.is_finite() && high.is_finite()).then_some(NumberRange {
            low: low.clamp(0.0, 1.0),
            high: high.clamp(0.0, 1.0),
        })
    };
    // Fewer degrees of freedom make a tail of t and F thicker.
    let over = |df: Rounded, p: &dyn Fn(f64, f64) -> f64| {
        let (few, many) = freedom(df)?;
        tails(
            p(large, many).min(p(large, few)),
            p(small, few).max(p(small, many)),
        )
    };
    match statistic {
        ReportedStatistic::Z => tails(normal_two_sided(large), normal_two_sided(small)),
        ReportedStatistic::T { df } => over(df, &t_two_sided),
        ReportedStatistic::R { df } => {
            if value.value.abs() > 1.0 {
                return None;
            }
            over(df, &|r: f64, df: f64| {
                let r = r.min(1.0);
                if r == 1.0 {
                    return 0.0;
                }
                t_two_sided(r * (df / (1.0 - r * r)).sqrt(), df)
            })
        }
        ReportedStatistic::ChiSquared { df } => {
            if value.value < 0.0 {
                return None;
            }
            over(df, &|x: f64, df: f64| {
                if x <= 0.0 { 1.0 } else { chi_squared_upper(x, df) }
            })
        }
        ReportedStatistic::F {
            numerator,
            denominator,
        } => {
            if value.value < 0.0 {
                return None;
            }
            let (few, many) = freedom(numerator)?;
            let ends = [few, many].map(|numerator| {
                over(denominator, &|x: f64, df: f64| {
                    if x <= 0.0 { 1.0 } else { f_upper(x, numerator, df) }
                })
            });
            let [Some(one), Some(other)] = ends else {
                return None;
            };
            Some(NumberRange {
                low: one.low.min(other.low),
                high: one.high.max(other.high),
            })
        }
    }
}

/// Degrees of freedom that a printed number can stand for; whole ones are exact.
fn freedom(df: Rounded) -> Option<(f64, f64)> {
    let (few, many) = if df.decimals == 0 {
        (df.value, df.value)
    } else {
        let NumberRange { low, high } = df.range();
        (low, high)
    };
    (few > 0.0 && many <= MOST_DF).then_some((few, many))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_the_p_value_of_the_printed_statistic() {
        let rounded = |text| Rounded::parse(text).unwrap();
        // scipy 1.17: 2 * t.sf(2.20, 28), f.sf(4.47, 1, 57), chi2.sf(6.53, 2)
        for (statistic, value, p) in [
            (ReportedStatistic::T { df: rounded("28") }, "2.20", 0.036_241_2),
            (
                ReportedStatistic::F {
                    numerator: rounded("1"),
                    denominator: rounded("57"),
                },
                "4.47",
                0.038_889_6,
            ),
            (
                ReportedStatistic::ChiSquared { df: rounded("2") },
                "6.53",
                0.038_196_8,
            ),
        ] {
            let NumberRange { low, high } = p_range(statistic, rounded(value)).unwrap();
            assert!(
                low < p && p < high && high - low < 0.001,
                "{statistic:?}: {low} {high}"
            );
        }
        assert_eq!(
            p_range(ReportedStatistic::R { df: rounded("20") }, rounded("1.20")),
            None
        );
        assert_eq!(
            p_range(ReportedStatistic::T { df: rounded("0") }, rounded("1.2")),
            None
        );
    }
}
