//! The statistic, the p-value, the interval and the correlation that follow from
//! an estimate and its standard error, or from one another.

use super::criteria::assessment::number;
use super::derived::{Derived, derived, is_additive};
use crate::domain::finding::{Direction, Finding, PValue, Relation};
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::statistics::correlation::{from_t, interval as correlation_interval};
use crate::statistics::distributions::{chi_squared_upper, f_upper, normal_upper, t_upper};
use crate::statistics::intervals::{self, z_of};
use crate::statistics::precision::usable_error;

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

pub fn statistic_of_estimate(finding: &mut Finding) -> Option<Derived> {
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

pub fn statistic_of_ratio(finding: &mut Finding) -> Option<Derived> {
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

pub fn p_of_statistic(finding: &mut Finding) -> Option<Derived> {
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

pub fn interval_of_error(finding: &mut Finding) -> Option<Derived> {
    if finding.interval.is_some() {
        return None;
    }
    let estimate = finding.estimate?;
    let (interval, formula) = if finding.scale == Some(Scale::Correlation) {
        let freedom = finding.df.or(finding.n.map(|n| n as f64 - 2.0))?;
        let interval = correlation_interval(estimate, freedom, 0.95)?;
        (interval, "95 % interval of r by noncentral t")
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
pub fn correlation(finding: &Finding) -> Option<Derived> {
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
