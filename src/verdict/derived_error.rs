//! The standard error that follows from a test, an interval or a p-value.

use super::criteria::assessment::number;
use super::derived::{Derived, derived, is_additive};
use crate::domain::finding::Finding;
use crate::domain::statistic::{Statistic, StatisticKind};
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::{is_midpoint, usable_error};

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

pub fn error_of_statistic(finding: &mut Finding) -> Option<Derived> {
    let estimate = finding.estimate.filter(|_| lacks_error(finding))?.abs();
    let (size, name) = root(finding.statistic.as_ref()?)?;
    let formula = format!("SE = |b| / {name} = {} / {}", number(estimate), number(size));
    set_error(finding, estimate / size, formula)
}

pub fn error_of_interval(finding: &mut Finding) -> Option<Derived> {
    let interval = finding
        .interval
        .filter(|_| lacks_error(finding) && !finding.credible)?;
    let width = interval.upper - interval.lower;
    let is_middle = |estimate| is_midpoint(estimate, interval, |value| value);
    if !finding.estimate.is_none_or(is_middle) {
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

pub fn error_of_p(finding: &mut Finding) -> Option<Derived> {
    let estimate = finding.estimate.filter(|_| lacks_error(finding))?.abs();
    let p = finding.p_value.filter(|p| p.value > 0.0)?;
    let quantile = finding.quantile(1.0 - finding.tail()?);
    let formula = format!(
        "SE = |b| / ({} at p {}) = {} / {}",
        quantile_name(finding),
        number(p.value),
        number(estimate),
        number(quantile)
    );
    set_error(finding, estimate / quantile, formula)
}
