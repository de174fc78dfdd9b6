//! Quantities that a finding does not give and that follow from those it gives.

use serde::{Deserialize, Serialize};

use super::criteria::assessment::number;
use crate::domain::finding::{Direction, Finding, PValue, Relation};
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::statistics::correlation::from_t;
use crate::statistics::distributions::{chi_squared_upper, f_upper, normal_upper, t_upper};
use crate::statistics::intervals::{self, z_of};
use crate::statistics::precision::{usable_df, usable_error};

/// One quantity and how it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    pub quantity: String,
    pub value: f64,
    /// The formula with its numbers and the result.
    pub formula: String,
}

/// An estimate may lie this far from the middle of its interval, as a share of
/// the interval's width; farther, and the interval is on another scale.
const MIDDLE: f64 = 0.1;

type Step = fn(&mut Finding) -> Option<Derived>;

/// Fills what follows from a finding's own figures, and lists it. What is given
/// is never replaced, and nothing follows from an unsigned statistic but its p.
pub fn derive(finding: &Finding) -> (Finding, Vec<Derived>) {
    const STEPS: [Step; 8] = [
        n_of_groups,
        error_of_statistic,
        error_of_interval,
        error_of_p,
        statistic_of_estimate,
        statistic_of_ratio,
        p_of_statistic,
        interval_of_error,
    ];
    let mut filled = finding.clone();
    share_degrees(&mut filled);
    let mut derived: Vec<Derived> = Vec::new();
    for step in STEPS {
        derived.extend(step(&mut filled));
    }
    derived.extend(correlation(&filled));
    (filled, derived)
}

/// The degrees of freedom of the test and of its t are the same.
fn share_degrees(finding: &mut Finding) {
    let Some(statistic) = finding
        .statistic
        .as_mut()
        .filter(|one| one.kind == StatisticKind::T)
    else {
        return;
    };
    match (finding.df, statistic.df.last()) {
        (None, Some(df)) => finding.df = Some(df),
        (Some(df), None) => statistic.df = DegreesOfFreedom(vec![df]),
        _ => {}
    }
    finding.df = finding.df.filter(|df| usable_df(*df));
}

/// Whether estimate, standard error and interval are on one additive scale.
fn is_additive(finding: &Finding) -> bool {
    matches!(
        finding.scale,
        None | Some(Scale::Difference | Scale::LogRatio | Scale::Standardized)
    )
}

/// The signed root of a test with one degree of freedom: its size, its name and
/// how it was had.
fn root(statistic: &Statistic) -> Option<(f64, String)> {
    let size = statistic.value.abs();
    let numerator = statistic.df.0.first().copied();
    match statistic.kind {
        StatisticKind::T | StatisticKind::Z => Some((size, format!("|{}|", statistic.kind))),
        StatisticKind::F if numerator == Some(1.0) && statistic.df.0.len() == 2 => {
            Some((size.sqrt(), "√F".to_owned()))
        }
        StatisticKind::ChiSquared if numerator == Some(1.0) => Some((size.sqrt(), "√χ²".to_owned())),
        _ => None,
    }
}

fn derived(quantity: &str, value: f64, formula: String) -> Option<Derived> {
    value.is_finite().then(|| Derived {
        quantity: quantity.to_owned(),
        formula: format!("{formula} = {}", number(value)),
        value,
    })
}

fn n_of_groups(finding: &mut Finding) -> Option<Derived> {
    let sizes: Option<Vec<u64>> = finding.groups.iter().map(|group| group.n).collect();
    let sizes = sizes.filter(|sizes| finding.n.is_none() && sizes.len() > 1)?;
    let total = sizes.iter().sum();
    finding.n = Some(total);
    let sum: Vec<String> = sizes.iter().map(u64::to_string).collect();
    derived("n", total as f64, format!("n = {}", sum.join(" + ")))
}

fn set_error(finding: &mut Finding, error: f64, formula: String) -> Option<Derived> {
    if !usable_error(error) {
        return None;
    }
    finding.standard_error = Some(error);
    derived("SE", error, formula)
}

fn lacks_error(finding: &Finding) -> bool {
    finding.standard_error.is_none() && is_additive(finding)
}

fn error_of_statistic(finding: &mut Finding) -> Option<Derived> {
    let estimate = finding.estimate.filter(|_| lacks_error(finding))?.abs();
    let (size, name) = root(finding.statistic.as_ref()?)?;
    let formula = format!("SE = |b| / {name} = {} / {}", number(estimate), number(size));
    set_error(finding, estimate / size, formula)
}

fn error_of_interval(finding: &mut Finding) -> Option<Derived> {
    let interval = finding
        .interval
        .filter(|_| lacks_error(finding) && !finding.credible)?;
    let width = interval.upper - interval.lower;
    let middle = f64::midpoint(interval.lower, interval.upper);
    if finding
        .estimate
        .is_some_and(|estimate| (estimate - middle).abs() > MIDDLE * width)
    {
        return None;
    }
    let quantile = finding.quantile(0.5 + interval.level / 2.0);
    let formula = format!(
        "SE = (upper - lower) / (2 × {}) = {} / {}",
        quantile_name(finding),
        number(width),
        number(2.0 * quantile)
    );
    set_error(finding, width / (2.0 * quantile), formula)
}

fn quantile_name(finding: &Finding) -> String {
    finding
        .df
        .map_or_else(|| "z".to_owned(), |df| format!("t of {} df", number(df)))
}

fn error_of_p(finding: &mut Finding) -> Option<Derived> {
    let estimate = finding.estimate.filter(|_| lacks_error(finding))?.abs();
    let p = finding
        .p_value
        .filter(|p| p.relation == Relation::Equal && p.value > 0.0)?;
    let tail = if finding.sides == Some(1) {
        p.value
    } else {
        p.value / 2.0
    };
    let quantile = finding.quantile(1.0 - tail);
    let formula = format!(
        "SE = |b| / ({} at p {}) = {} / {}",
        quantile_name(finding),
        number(p.value),
        number(estimate),
        number(quantile)
    );
    set_error(finding, estimate / quantile, formula)
}

fn set_statistic(finding: &mut Finding, value: f64, formula: String) -> Option<Derived> {
    let kind = if finding.df.is_some() {
        StatisticKind::T
    } else {
        StatisticKind::Z
    };
    let found = derived(kind.name(), value, formula)?;
    finding.statistic = Some(Statistic {
        kind,
        value,
        df: DegreesOfFreedom(finding.df.into_iter().collect()),
    });
    Some(found)
}

fn statistic_of_estimate(finding: &mut Finding) -> Option<Derived> {
    if finding.statistic.is_some() || !is_additive(finding) {
        return None;
    }
    let (estimate, error) = (
        finding.estimate?,
        finding.standard_error.filter(|error| usable_error(*error))?,
    );
    let name = if finding.df.is_some() { "t" } else { "z" };
    let formula = format!("{name} = b / SE = {} / {}", number(estimate), number(error));
    set_statistic(finding, estimate / error, formula)
}

fn statistic_of_ratio(finding: &mut Finding) -> Option<Derived> {
    if finding.statistic.is_some() || finding.scale != Some(Scale::Ratio) || finding.credible {
        return None;
    }
    let (ratio, interval) = (finding.estimate.filter(|ratio| *ratio > 0.0)?, finding.interval?);
    if interval.lower <= 0.0 {
        return None;
    }
    let width = interval.upper.ln() - interval.lower.ln();
    let value = ratio.ln() * 2.0 * z_of(interval.level) / width;
    let found = derived(
        "z",
        value,
        format!(
            "z = ln(b) / ((ln upper - ln lower) / (2 × {})) = {} / {}",
            number(z_of(interval.level)),
            number(ratio.ln()),
            number(ratio.ln() / value)
        ),
    )?;
    finding.statistic = Some(Statistic {
        kind: StatisticKind::Z,
        value,
        df: DegreesOfFreedom::default(),
    });
    Some(found)
}

fn p_of_statistic(finding: &mut Finding) -> Option<Derived> {
    let statistic = finding.statistic.clone().filter(|_| finding.p_value.is_none())?;
    let df = statistic.df.last();
    let upper: Box<dyn Fn(f64) -> f64> = match (&statistic.kind, df) {
        (StatisticKind::Z, _) => Box::new(normal_upper),
        (StatisticKind::T, Some(df)) => Box::new(move |t| t_upper(t, df)),
        (StatisticKind::R, Some(df)) => Box::new(move |r: f64| t_upper(r * (df / (1.0 - r * r)).sqrt(), df)),
        (StatisticKind::F, Some(denominator)) if statistic.df.0.len() == 2 => {
            let numerator = statistic.df.0[0];
            Box::new(move |f| f_upper(f, numerator, denominator))
        }
        (StatisticKind::ChiSquared, Some(df)) => Box::new(move |x| chi_squared_upper(x, df)),
        _ => return None,
    };
    let (p, words) = match (statistic.is_signed(), finding.sides, finding.alternative) {
        (false, ..) => (upper(statistic.value), String::new()),
        (true, Some(1), Some(side)) => {
            let towards = if side == Direction::Positive {
                statistic.value
            } else {
                -statistic.value
            };
            (upper(towards), format!(", one-sided ({side})"))
        }
        (true, Some(1), None) => return None,
        (true, ..) => (
            (2.0 * upper(statistic.value.abs())).min(1.0),
            ", two-sided".to_owned(),
        ),
    };
    let found = derived("p", p, format!("p of {statistic}{words}"))?;
    finding.p_value = Some(PValue {
        relation: Relation::Equal,
        value: p,
    });
    if statistic.is_signed() {
        finding.sides = finding.sides.or(Some(2));
    }
    Some(found)
}

fn interval_of_error(finding: &mut Finding) -> Option<Derived> {
    if finding.interval.is_some() {
        return None;
    }
    let estimate = finding.estimate?;
    let (interval, formula) = if finding.scale == Some(Scale::Correlation) {
        let interval = intervals::correlation(estimate, finding.n?, 0.95)?;
        (interval, "95 % interval of r by Fisher's z, 1 / √(n - 3)")
    } else {
        let error = finding.standard_error.filter(|_| is_additive(finding))?;
        let interval = match finding.df {
            Some(df) => intervals::student(estimate, error, df, 0.95)?,
            None => intervals::normal(estimate, error, 0.95)?,
        };
        (interval, "95 % interval: b ± SE × the quantile of its test")
    };
    finding.interval = Some(interval);
    Some(Derived {
        quantity: "interval".to_owned(),
        value: interval.lower,
        formula: format!(
            "{formula} = [{}, {}]",
            number(interval.lower),
            number(interval.upper)
        ),
    })
}

/// The correlation behind a t; it has no field of its own.
fn correlation(finding: &Finding) -> Option<Derived> {
    let statistic = finding
        .statistic
        .as_ref()
        .filter(|one| one.kind == StatisticKind::T)?;
    let df = statistic.df.last()?;
    if finding.scale == Some(Scale::Correlation) {
        return None;
    }
    let t = statistic.value;
    derived(
        "r",
        from_t(t, df),
        format!(
            "r = t / √(t² + df) = {} / √({} + {})",
            number(t),
            number(t * t),
            number(df)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Group, Interval};

    fn statistic(kind: StatisticKind, value: f64, df: &[f64]) -> Option<Statistic> {
        Some(Statistic {
            kind,
            value,
            df: DegreesOfFreedom(df.to_vec()),
        })
    }

    fn value(derived: &[Derived], quantity: &str) -> Option<f64> {
        derived
            .iter()
            .find(|one| one.quantity == quantity)
            .map(|one| one.value)
    }

    fn close(found: Option<f64>, expected: f64) {
        assert!(
            (found.unwrap() - expected).abs() < 1e-9,
            "{found:?} for {expected}"
        );
    }

    #[test]
    fn all_of_a_t_test_follows_from_estimate_and_statistic() {
        let finding = Finding {
            estimate: Some(0.599),
            statistic: statistic(StatisticKind::T, 5.003, &[42.0]),
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        // R: 0.599 / 5.003; 2 * pt(-5.003, 42); 0.599 + c(-1, 1) * qt(.975, 42) * 0.599 / 5.003; 5.003 / sqrt(5.003^2 + 42)
        close(filled.standard_error, 0.119_728_163_102_138_7);
        close(value(&derived, "p"), 1.054_243_863_042_863e-5);
        close(
            filled.interval.map(|interval| interval.lower),
            0.357_378_784_731_511_4,
        );
        close(value(&derived, "r"), 0.611_076_896_131_905_7);
        assert_eq!((filled.df, filled.sides), (Some(42.0), Some(2)));
        let formula = &derived[0].formula;
        assert_eq!(formula, "SE = |b| / |t| = 0.599 / 5.003 = 0.1197");
    }

    #[test]
    fn a_statistic_follows_from_the_error_and_the_error_from_an_interval_or_a_p() {
        let base = Finding {
            estimate: Some(-4.1),
            df: Some(20.0),
            ..Finding::default()
        };
        let by_error = Finding {
            standard_error: Some(2.0),
            ..base.clone()
        };
        let (filled, derived) = derive(&by_error);
        close(value(&derived, "t"), -2.05);
        assert_eq!(filled.statistic.unwrap().to_string(), "t(20) = -2.05");
        let half = 2.0 * crate::statistics::distributions::t_quantile(0.975, 20.0);
        let by_interval = Finding {
            interval: Some(Interval {
                lower: -4.1 - half,
                upper: -4.1 + half,
                level: 0.95,
            }),
            ..base.clone()
        };
        close(derive(&by_interval).0.standard_error, 2.0);
        let with_p = |value, sides| Finding {
            p_value: Some(PValue {
                relation: Relation::Equal,
                value,
            }),
            sides,
            ..base.clone()
        };
        let p = t_upper(2.05, 20.0);
        close(derive(&with_p(2.0 * p, None)).0.standard_error, 2.0);
        close(derive(&with_p(p, Some(1))).0.standard_error, 2.0);
        let bound = Finding {
            p_value: Some(PValue {
                relation: Relation::Less,
                value: 0.05,
            }),
            ..base
        };
        assert_eq!(derive(&bound).0, bound);
    }

    #[test]
    fn a_ratio_is_tested_by_its_logarithm_and_gets_no_error_of_its_own() {
        let finding = Finding {
            estimate: Some(0.47),
            scale: Some(Scale::Ratio),
            interval: Some(Interval {
                lower: 0.3643,
                upper: 0.6064,
                level: 0.95,
            }),
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        // R: log(.47) * 2 * qnorm(.975) / (log(.6064) - log(.3643))
        close(value(&derived, "z"), -5.808_190_933_609_802);
        assert_eq!(filled.standard_error, None);
        assert!(filled.p_value.unwrap().value < 1e-8);
    }

    #[test]
    fn what_does_not_follow_stays_absent() {
        // A skewed interval is on another scale, and F with several degrees has no sign.
        let skewed = Finding {
            estimate: Some(0.47),
            interval: Some(Interval {
                lower: 0.36,
                upper: 0.90,
                level: 0.95,
            }),
            ..Finding::default()
        };
        assert_eq!(derive(&skewed).0.standard_error, None);
        let omnibus = Finding {
            estimate: Some(3.0),
            statistic: statistic(StatisticKind::F, 4.2, &[2.0, 87.0]),
            ..Finding::default()
        };
        let (filled, derived) = derive(&omnibus);
        assert_eq!((filled.standard_error, derived.len()), (None, 1));
        // R: pf(4.2, 2, 87, lower.tail = FALSE)
        close(value(&derived, "p"), 0.018_144_006_353_153_75);
        let one_sided = Finding {
            statistic: statistic(StatisticKind::T, -2.0, &[30.0]),
            sides: Some(1),
            ..Finding::default()
        };
        assert_eq!(derive(&one_sided).0.p_value, None);
        let told = Finding {
            alternative: Some(Direction::Positive),
            ..one_sided
        };
        assert!(derive(&told).0.p_value.unwrap().value > 0.97);
        assert_eq!(derive(&Finding::default()), (Finding::default(), vec![]));
    }

    #[test]
    fn the_root_of_f_and_the_sizes_of_groups_count() {
        let group = |n| Group {
            n: Some(n),
            ..Group::default()
        };
        let finding = Finding {
            estimate: Some(-1.2),
            statistic: statistic(StatisticKind::F, 9.0, &[1.0, 60.0]),
            groups: vec![group(30), group(32)],
            ..Finding::default()
        };
        let (filled, derived) = derive(&finding);
        close(filled.standard_error, 0.4);
        assert_eq!(
            (filled.n, derived[0].formula.as_str()),
            (Some(62), "n = 30 + 32 = 62")
        );
    }
}
