//! Ratios that nobody calls so.

use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Interval};
use crate::domain::scale::Scale;

use super::additive::additive;
use super::figure::figure;
use super::readings::{self, Reading};

/// Numbers that are of a ratio and are read as a difference: their interval or
/// p-value fits the logarithm and not the number itself.
pub fn only_a_ratio(condition: &Condition, finding: &Finding, scale: Scale) -> Option<Doubt> {
    if scale != Scale::Difference || finding.estimate.is_none_or(|estimate| estimate <= 0.0) {
        return None;
    }
    let given = readings::reported(finding, finding.sides.unwrap_or(2))?;
    let threshold = readings::threshold(condition.level, condition.sides);
    let plain: Vec<Reading> = readings::others(finding);
    let clashes = plain
        .iter()
        .any(|reading| !reading.fits(&given) && reading.below(threshold) != given.below(threshold));
    let skewed = finding
        .interval
        .zip(finding.estimate)
        .is_some_and(|(interval, estimate)| is_log_symmetric(interval, estimate));
    let logged = additive(finding, Scale::Ratio, None).ok()?;
    let fits = readings::others(&logged)
        .iter()
        .any(|reading| reading.fits(&given))
        && skewed;
    ((clashes || skewed) && fits).then(|| {
        Doubt::deciding(
            DoubtCause::Scale,
            format!(
                "`{}` is {} with an interval that is even on the scale of logarithms, as of a ratio, and neither the \
                 plan nor the result names the scale ratio.",
                condition.term,
                figure(finding.estimate.unwrap_or_default())
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
