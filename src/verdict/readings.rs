//! The two-sided p-value of a finding, by each thing that gives one.
//!
//! A finding may give its p-value, its statistic, its estimate with a standard
//! error, and an interval; each stands for the range that its printed digits
//! allow. Where they exclude one another, at least one is not of this estimate.

use crate::domain::doubt::DoubtCause;
use crate::domain::finding::{Direction, Finding, Relation};
use crate::domain::scale::Scale;
use crate::domain::statistic::{Statistic, StatisticKind};
use crate::statistics::distributions::{chi_squared_upper, f_upper, normal_two_sided, t_two_sided};

use super::figure::{figure, half_unit, p_exact, p_figure};

/// Degrees of freedom that are assumed at least where nothing tells.
const FEW: f64 = 4.0;
/// How far ranges may miss one another, for what programs round on the way.
const SLACK: f64 = 1e-3;

/// One way to the p-value.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What a contradiction with it is called.
    pub cause: DoubtCause,
    /// The least and the greatest two-sided p-value that its printed digits allow.
    pub range: (f64, f64),
    /// The same of its numbers as they stand.
    pub exact: (f64, f64),
    /// What it was taken from, with the numbers.
    pub words: String,
    /// Of a p-value that was raised for others of its family: by what.
    pub adjusted: Option<String>,
}

impl Reading {
    /// Whether the p-value is below a level; none where that cannot be told.
    pub fn below(&self, level: f64) -> Option<bool> {
        let (low, high) = self.exact;
        if high < level || (high == level && low < high) {
            Some(true)
        } else if low >= level {
            Some(false)
        } else {
            None
        }
    }

    /// Whether both can be of one p-value. One that was raised for its family tells
    /// only that the test's own is not greater.
    pub fn fits(&self, other: &Self) -> bool {
        let own = |reading: &Self| match reading.adjusted {
            Some(_) => (0.0, reading.range.1),
            None => reading.range,
        };
        let (low, high) = own(self);
        let (least, most) = own(other);
        low * (1.0 - SLACK) <= most && high * (1.0 + SLACK) >= least
    }

    /// The range as words.
    pub fn p_words(&self) -> String {
        let (low, high) = self.exact;
        if (high - low) <= 0.02 * high {
            p_exact(f64::midpoint(low, high))
        } else if low == 0.0 {
            format!("below {}", figure(high))
        } else if high >= 1.0 {
            format!("above {}", figure(low))
        } else {
            format!("from {} to {}", figure(low), figure(high))
        }
    }
}

/// Half a unit of three decimals.
const CUT_OFF: f64 = 5e-4;

/// The reported p-value as a two-sided one, if its sides are known.
pub fn reported(finding: &Finding, sides: u8) -> Option<Reading> {
    let p = finding.p_value.filter(|p| (0.0..=1.0).contains(&p.value))?;
    // A p of 0 is one that was cut off after some decimals, or is too small for a number.
    let slack = if p.value == 0.0 {
        CUT_OFF
    } else {
        half_unit(p.value)
    };
    let within = |slack: f64| match p.relation {
        Relation::Equal => ((p.value - slack).max(0.0), (p.value + slack).min(1.0)),
        Relation::Less => (0.0, p.value),
        Relation::Greater => (p.value, 1.0),
    };
    let two_sided = |(low, high): (f64, f64)| {
        if sides != 1 {
            (low, high)
        } else if low > 0.5 {
            // The smaller tail, doubled, whichever side was tested.
            (2.0 * (1.0 - high), 2.0 * (1.0 - low))
        } else {
            (2.0 * low, (2.0 * high).min(1.0))
        }
    };
    Some(Reading {
        cause: DoubtCause::PValue,
        range: two_sided(within(slack)),
        exact: two_sided(within(0.0)),
        words: format!("the reported p {}", p_figure(p)),
        adjusted: finding.adjusted.clone(),
    })
}

/// Everything but the reported p-value.
pub fn others(finding: &Finding) -> Vec<Reading> {
    [by_statistic(finding), by_error(finding), by_interval(finding)]
        .into_iter()
        .flatten()
        .collect()
}

fn by_statistic(finding: &Finding) -> Option<Reading> {
    let statistic = finding.statistic.as_ref()?;
    let slack = half_unit(statistic.value);
    let size = statistic.value.abs();
    let range = tails(finding, statistic, (size - slack).max(0.0), size + slack)?;
    Some(Reading {
        cause: DoubtCause::Statistic,
        range,
        exact: tails(finding, statistic, size, size)?,
        words: format!("the statistic {}", shown(statistic)),
        adjusted: None,
    })
}

/// The p-values of the sizes that a statistic can have.
fn tails(finding: &Finding, statistic: &Statistic, small: f64, large: f64) -> Option<(f64, f64)> {
    let range = match (&statistic.kind, statistic.df.0.as_slice()) {
        (StatisticKind::Z, _) => (normal_two_sided(large), normal_two_sided(small)),
        (StatisticKind::T, [df, ..]) => (t_two_sided(large, *df), t_two_sided(small, *df)),
        (StatisticKind::T, []) => {
            let (few, many) = freedom(finding)?;
            (two_sided(large, many), two_sided(small, few))
        }
        (StatisticKind::R, df) => {
            let df = df
                .first()
                .copied()
                .or_else(|| Some(finding.n?.checked_sub(2)? as f64))?;
            if df <= 0.0 || small >= 1.0 {
                return None;
            }
            let t = |r: f64| {
                let r = r.min(1.0 - 1e-12);
                t_two_sided(r * (df / (1.0 - r * r)).sqrt(), df)
            };
            (t(large), t(small))
        }
        (StatisticKind::ChiSquared, [df, ..]) => {
            (chi_squared_upper(large, *df), chi_squared_upper(small, *df))
        }
        (StatisticKind::F, [numerator, denominator]) => (
            f_upper(large, *numerator, *denominator),
            f_upper(small, *numerator, *denominator),
        ),
        _ => return None,
    };
    (range.0.is_finite() && range.1.is_finite()).then_some(range)
}

/// A statistic as a sentence gives it.
pub fn shown(statistic: &Statistic) -> String {
    let short = Statistic {
        value: figure(statistic.value).parse().unwrap_or(statistic.value),
        ..statistic.clone()
    };
    short.to_string()
}

fn by_error(finding: &Finding) -> Option<Reading> {
    let (estimate, error) = (finding.estimate?, finding.standard_error?);
    if !(error > 0.0 && error.is_finite() && estimate.is_finite()) {
        return None;
    }
    let size = estimate.abs();
    let (small, large) = ((size - half_unit(estimate)).max(0.0), size + half_unit(estimate));
    let (least, most) = (error - half_unit(error), error + half_unit(error));
    if least <= 0.0 {
        return None;
    }
    let (few, many) = freedom(finding)?;
    Some(Reading {
        cause: DoubtCause::PValue,
        range: (
            two_sided(large / least, many),
            two_sided(small / most, loosest(finding, few)),
        ),
        exact: (two_sided(size / error, many), two_sided(size / error, few)),
        words: format!(
            "the estimate {} over its standard error {}",
            figure(estimate),
            figure(error)
        ),
        adjusted: None,
    })
}

/// An interval tells on which side of its level the p-value lies.
fn by_interval(finding: &Finding) -> Option<Reading> {
    let interval = finding.interval.filter(|_| !finding.credible)?;
    // 1 - 0.95 is a little more than 0.05.
    let level = ((1.0 - interval.level) * 1e12).round() / 1e12;
    let (lower, upper) = (interval.lower, interval.upper);
    let excludes = lower > half_unit(lower) || upper < -half_unit(upper);
    let includes = lower < -half_unit(lower) && upper > half_unit(upper);
    let range = match (excludes, includes) {
        (true, _) => (0.0, level),
        (_, true) => (level, 1.0),
        _ => return None,
    };
    Some(Reading {
        cause: DoubtCause::Interval,
        range,
        exact: range,
        words: format!(
            "the {} % interval from {} to {}",
            figure(100.0 * interval.level),
            figure(lower),
            figure(upper)
        ),
        adjusted: None,
    })
}

/// The fewest degrees of freedom that a comparison allows for.
fn loosest(finding: &Finding, few: f64) -> f64 {
    if few.is_finite() || finding.statistic.is_some() {
        few
    } else {
        FEW
    }
}

fn two_sided(statistic: f64, df: f64) -> f64 {
    if df.is_finite() {
        t_two_sided(statistic, df)
    } else {
        normal_two_sided(statistic)
    }
}

/// The fewest and the most degrees of freedom that the test can have; infinite
/// stands for the normal curve.
pub fn freedom(finding: &Finding) -> Option<(f64, f64)> {
    if let Some(df) = finding.df {
        return (df > 0.0 && df.is_finite()).then_some((df, df));
    }
    if let Some(statistic) = &finding.statistic {
        match (&statistic.kind, statistic.df.0.as_slice()) {
            (StatisticKind::T, [df]) if *df > 0.0 => return Some((*df, *df)),
            (StatisticKind::F, [_, df]) if *df > 0.0 => return Some((*df, f64::INFINITY)),
            (StatisticKind::Z | StatisticKind::ChiSquared, _) => {
                return Some((f64::INFINITY, f64::INFINITY));
            }
            _ => {}
        }
    }
    // A model seldom spends half of its rows, unless there are very few of them;
    // where nothing is known, the normal curve.
    let few = finding.n.map_or(f64::INFINITY, |n| {
        let rows = n as f64;
        (rows / 2.0).max(FEW).min((rows - 2.0).max(1.0))
    });
    Some((few, f64::INFINITY))
}

/// The sign of the effect: of the estimate, else of a statistic that has one.
///
/// A lone z is given without its sign by many programs, and always below zero by
/// some for rank tests, so that its sign counts only where its scale is named.
pub fn sign(finding: &Finding, scale: Scale) -> Option<Direction> {
    if scale == Scale::Unsigned {
        return None;
    }
    if let Some(estimate) = finding.estimate {
        return Direction::from_value(estimate);
    }
    let Some(statistic) = finding.statistic.as_ref() else {
        let interval = finding.interval?;
        let sides = [interval.lower, interval.upper].map(Direction::from_value);
        return sides[0].filter(|side| sides[1] == Some(*side));
    };
    match statistic.kind {
        StatisticKind::T | StatisticKind::R => Direction::from_value(statistic.value),
        StatisticKind::Z if finding.scale.is_some() => Direction::from_value(statistic.value),
        _ => None,
    }
}

/// Whether an estimate and its statistic have contrary signs.
pub fn contrary(finding: &Finding) -> Option<String> {
    let statistic = finding
        .statistic
        .as_ref()
        .filter(|statistic| statistic.kind.is_signed())?;
    let estimate = finding.estimate?;
    let (one, other) = (
        Direction::from_value(estimate)?,
        Direction::from_value(statistic.value)?,
    );
    (one != other).then(|| {
        format!(
            "The estimate {} and its statistic {} have contrary signs.",
            figure(estimate),
            shown(statistic)
        )
    })
}

/// A one-sided p-value that lies on the wrong side of one half for where its estimate, or
/// its statistic, lies.
pub fn other_side(finding: &Finding) -> Option<String> {
    let side = finding.alternative.filter(|_| finding.sides == Some(1))?;
    let p = finding.p_value?;
    let small = p.value < 0.5 && p.relation != Relation::Greater;
    let large = p.value > 0.5 && p.relation != Relation::Less;
    let (value, what) = match (finding.estimate, &finding.statistic) {
        (Some(estimate), _) => (estimate, format!("the estimate {}", figure(estimate))),
        (None, Some(statistic)) if statistic.kind.is_signed() => (statistic.value, shown(statistic)),
        _ => return None,
    };
    let lies_there = Direction::from_value(value)? == side;
    let lies = match (small, large) {
        (true, _) if !lies_there => "lies on the other",
        (_, true) if lies_there => "lies on it, for which it is too large",
        _ => return None,
    };
    Some(format!(
        "The p {} is of a test on the {side} side, and {what} {lies}.",
        p_figure(p)
    ))
}

/// The threshold that a two-sided p-value has to be below for a test of some
/// sides to pass with the claim's sign.
pub fn threshold(level: f64, sides: u8) -> f64 {
    if sides == 1 { 2.0 * level } else { level }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Interval, PValue};
    use crate::domain::statistic::DegreesOfFreedom;

    fn finding() -> Finding {
        Finding {
            estimate: Some(0.40),
            standard_error: Some(0.38),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.000_02,
            }),
            ..Finding::default()
        }
    }

    #[test]
    fn a_p_value_that_its_estimate_does_not_give_is_seen() {
        let found = finding();
        let [error] = &others(&found)[..] else {
            panic!("one reading");
        };
        assert_eq!(error.below(0.05), Some(false));
        assert!(!reported(&found, 2).unwrap().fits(error));
    }

    #[test]
    fn an_interval_on_one_side_has_a_sign_and_one_that_includes_no_effect_has_none() {
        let with = |lower, upper| Finding {
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            ..Finding::default()
        };
        let of = |lower, upper| sign(&with(lower, upper), Scale::Difference);
        assert_eq!(of(0.41, 1.16), Some(Direction::Positive));
        assert_eq!(of(-1.16, -0.41), Some(Direction::Negative));
        assert_eq!((of(-0.2, 0.9), of(0.0, 0.9)), (None, None));
        assert_eq!(sign(&with(0.41, 1.16), Scale::Unsigned), None);
        // A lone F keeps its interval's sign from being taken for its own.
        let omnibus = Finding {
            statistic: Some(Statistic {
                kind: StatisticKind::F,
                value: 7.7,
                df: DegreesOfFreedom(vec![2.0, 40.0]),
            }),
            ..with(0.41, 1.16)
        };
        assert_eq!(sign(&omnibus, Scale::Difference), None);
    }

    #[test]
    fn statistics_give_what_scipy_gives() {
        // scipy.stats: f.sf(7.70, 1, 204) = 0.0060363, 2 * t.sf(2.1, 34) = 0.0432167.
        for (kind, value, df, p) in [
            (StatisticKind::F, 7.70, vec![1.0, 204.0], 0.006_036_3),
            (StatisticKind::T, -2.1, vec![34.0], 0.043_216_7),
            (StatisticKind::ChiSquared, 6.53, vec![2.0], 0.038_196_8),
        ] {
            let found = Finding {
                statistic: Some(Statistic {
                    kind,
                    value,
                    df: DegreesOfFreedom(df),
                }),
                ..Finding::default()
            };
            let reading = others(&found).remove(0);
            let (low, high) = reading.range;
            assert!(
                low < p && p < high && reading.below(0.05) == Some(true),
                "{reading:?}"
            );
        }
    }

    #[test]
    fn a_handful_of_rows_leaves_few_degrees_of_freedom() {
        // 2 * t.sf(21.4237, 2) = .00217: a line through four points.
        let found = Finding {
            estimate: Some(1.94),
            standard_error: Some(0.090_553_9),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: 0.002_171_67,
            }),
            n: Some(4),
            ..Finding::default()
        };
        let given = reported(&found, 2).unwrap();
        assert!(others(&found).iter().all(|other| other.fits(&given)));
    }

    #[test]
    fn an_interval_tells_the_side_of_its_level() {
        let found = |lower, upper| Finding {
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            ..Finding::default()
        };
        assert_eq!(others(&found(0.1, 0.4))[0].below(0.05), Some(true));
        assert_eq!(others(&found(-0.1, 0.4))[0].below(0.05), Some(false));
        assert_eq!(others(&found(0.0, 0.4)), []);
    }

    #[test]
    fn a_lone_z_has_no_sign_unless_its_scale_is_named() {
        let found = |value| Finding {
            statistic: Some(Statistic {
                kind: StatisticKind::Z,
                value,
                df: DegreesOfFreedom::default(),
            }),
            ..Finding::default()
        };
        assert_eq!(sign(&found(2.4), Scale::Difference), None);
        // As SPSS gives it of every rank test, whichever group ranks higher.
        assert_eq!(sign(&found(-2.4), Scale::Difference), None);
        let named = Finding {
            scale: Some(Scale::Difference),
            ..found(-2.4)
        };
        assert_eq!(sign(&named, Scale::Difference), Some(Direction::Negative));
        assert_eq!(sign(&named, Scale::Unsigned), None);
    }
}
