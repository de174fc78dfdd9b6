//! An interval against the estimate and the standard error that stand beside it.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Interval};
use crate::domain::scale::Scale;
use crate::statistics::distributions::{normal_quantile, t_quantile};
use crate::verdict::figure::{figure, half_unit, half_unit_beside};
use crate::verdict::readings::freedom;

/// How far the width may be off what the standard error gives: profiles, bootstraps
/// and exact intervals are not two standard errors to each side.
const WIDTH: f64 = 1.5;

/// An estimate outside its interval, which decides, and a width that is not of the
/// standard error, which does not. `moved` is the finding on the scale on which
/// differences count.
pub fn interval_doubts(finding: &Finding, moved: &Finding, scale: Scale) -> Vec<Doubt> {
    let outside = estimate_outside(finding).map(|detail| Doubt::deciding(DoubtCause::Interval, detail));
    let width = width(finding, moved, scale).map(|detail| Doubt::beside(DoubtCause::Interval, detail));
    outside.into_iter().chain(width).collect()
}

/// However askew an interval is, it holds its estimate.
fn estimate_outside(finding: &Finding) -> Option<String> {
    let (estimate, interval) = (finding.estimate?, finding.interval?);
    let (lower, upper) = (interval.lower, interval.upper);
    let apart = |small: f64, large: f64| {
        let slack = half_unit_beside(small, large) + half_unit_beside(large, small);
        large - small > slack * (1.0 + 1e-9) + 1e-9 * small.abs().max(large.abs())
    };
    (apart(estimate, lower) || apart(upper, estimate)).then(|| {
        format!(
            "The estimate {} lies outside its interval from {} to {}.",
            figure(estimate),
            figure(lower),
            figure(upper)
        )
    })
}

fn width(finding: &Finding, moved: &Finding, scale: Scale) -> Option<String> {
    // The interval of a one-sided test may have one side.
    let shown = finding.interval.filter(|_| finding.sides != Some(1))?;
    let (error, given) = (moved.standard_error?, finding.standard_error?);
    let (narrow, wide) = half_widths(shown, scale)?;
    let slack = half_unit(given) / given;
    if !(error > 0.0 && slack < 1.0) {
        return None;
    }
    let tail = 0.5 + shown.level / 2.0;
    let (few, _) = freedom(moved)?;
    let most = if few.is_finite() {
        t_quantile(tail, few)
    } else {
        normal_quantile(tail)
    };
    let too_narrow = wide * WIDTH < normal_quantile(tail) * error * (1.0 - slack);
    let too_wide = narrow > WIDTH * most * error * (1.0 + slack);
    (too_narrow || too_wide).then(|| {
        format!(
            "The {} % interval from {} to {} is {} standard errors of {} to each side.",
            figure(100.0 * shown.level),
            figure(shown.lower),
            figure(shown.upper),
            short(f64::midpoint(narrow, wide) / error),
            figure(given)
        )
    })
}

/// The least and the greatest half width that the printed bounds allow; of ratios
/// by their logarithms.
fn half_widths(shown: Interval, scale: Scale) -> Option<(f64, f64)> {
    let (lower, upper) = (shown.lower, shown.upper);
    let (below, above) = (half_unit_beside(lower, upper), half_unit_beside(upper, lower));
    let place = |value: f64| match scale {
        Scale::Ratio => value.max(f64::MIN_POSITIVE).ln(),
        _ => value,
    };
    let narrow = (place(upper - above) - place(lower + below)) / 2.0;
    let wide = (place(upper + above) - place(lower - below)) / 2.0;
    (wide.is_finite() && (scale != Scale::Ratio || lower > 0.0)).then_some((narrow.max(0.0), wide))
}

/// Three digits are enough of a multiple.
fn short(value: f64) -> String {
    figure(format!("{value:.2e}").parse().unwrap_or(value))
}
