//! Ratios that nobody calls so.

use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Interval};
use crate::domain::scale::Scale;

use super::additive::additive;
use super::figure::figure;
use super::readings;

/// Numbers that are of a ratio and are read as a difference: their interval or
/// p-value fits the logarithm and not the number itself.
pub fn only_a_ratio(condition: &Condition, finding: &Finding, scale: Scale) -> Option<Doubt> {
    if scale != Scale::Difference || finding.estimate.is_none_or(|estimate| estimate <= 0.0) {
        return None;
    }
    let skewed = finding
        .interval
        .zip(finding.estimate)
        .is_some_and(|(interval, estimate)| is_log_symmetric(interval, estimate));
    if !skewed {
        return None;
    }
    // Without a p-value the interval alone tells.
    if let Some(given) = readings::reported(finding, finding.sides.unwrap_or(2)) {
        let logged = additive(finding, Scale::Ratio, None).ok()?;
        if !readings::others(&logged)
            .iter()
            .any(|reading| reading.fits(&given))
        {
            return None;
        }
    }
    Some(Doubt::deciding(
        DoubtCause::Scale,
        format!(
            "`{}` is {} with an interval that is even on the scale of logarithms, as of a ratio, and neither the \
             plan nor the result names the scale ratio.",
            condition.term,
            figure(finding.estimate.unwrap_or_default())
        ),
    ))
}

/// Numbers that are of a difference and are read as a ratio: the p-value fits the
/// estimate over its error and not its logarithm, or the interval holds values
/// that no ratio has.
pub fn only_a_difference(condition: &Condition, finding: &Finding, scale: Scale) -> Option<Doubt> {
    if scale != Scale::Ratio {
        return None;
    }
    let estimate = finding.estimate.filter(|estimate| *estimate > 0.0)?;
    let error = finding.standard_error.filter(|error| *error > 0.0)?;
    let plain = Finding {
        interval: None,
        ..finding.clone()
    };
    let given = readings::reported(&plain, plain.sides.unwrap_or(2))?;
    let logged = Finding {
        estimate: Some(estimate.ln()),
        standard_error: Some(error / estimate),
        ..plain.clone()
    };
    let own = Finding {
        standard_error: Some(error),
        ..logged.clone()
    };
    let fits = |finding: &Finding| {
        readings::others(finding)
            .iter()
            .all(|reading| reading.fits(&given))
    };
    let below = finding.interval.is_some_and(|interval| interval.lower <= 0.0);
    (fits(&plain) && ((!fits(&logged) && !fits(&own)) || below)).then(|| {
        Doubt::deciding(
            DoubtCause::Scale,
            format!(
                "`{}` is recorded as a ratio, and its p-value is that of {} over its error {}, as of a difference.",
                condition.term,
                figure(estimate),
                figure(error)
            ),
        )
    })
}

/// Whether an interval is even around its estimate in logarithms and not in itself.
fn is_log_symmetric(interval: Interval, estimate: f64) -> bool {
    if interval.lower <= 0.0 || estimate <= 0.0 {
        return false;
    }
    let width = interval.upper - interval.lower;
    let plain = (f64::midpoint(interval.lower, interval.upper) - estimate).abs() / width;
    let logs = interval.upper.ln() - interval.lower.ln();
    let logged = (f64::midpoint(interval.lower.ln(), interval.upper.ln()) - estimate.ln()).abs() / logs;
    plain > 0.03 && logged < 0.01
}
