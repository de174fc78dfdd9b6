//! Misfits of the statistics in one passage.

use crate::statistics::distributions::{normal_quantile, normal_two_sided, t_quantile, t_two_sided};

use super::number_range::NumberRange;
use super::recompute::p_range;
use super::reported::{ReportedEffect, ReportedP, ReportedStatistic, Rounded};
use crate::domain::finding::Relation;

/// Degrees of freedom that are assumed at least where none are printed.
const FEW: f64 = 4.0;
/// The level at which a wrong p-value changes a decision.
const LEVEL: f64 = 0.05;

/// One thing that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// In one sentence, with the numbers.
    pub detail: String,
    /// Whether the significance at the level .05 is another one.
    pub decides: bool,
}

/// Everything in a passage that no rounding explains.
pub fn check(reported: &ReportedEffect) -> Vec<Misfit> {
    let checks = [
        correlation_in_range,
        p_of_statistic,
        statistic_of_error,
        p_of_error,
        estimate_in_interval,
        error_of_interval,
        p_of_interval,
    ];
    checks.iter().filter_map(|check| check(reported)).collect()
}

/// The printed p against that of the statistic, two-sided unless the text says otherwise.
fn p_of_statistic(reported: &ReportedEffect) -> Option<Misfit> {
    if reported.estimate.is_some() {
        // Judged where the statistic stands.
        return None;
    }
    let ((statistic, value), p) = (reported.statistic?, reported.p?);
    let two = p_range(statistic, value)?;
    let directed = match statistic {
        ReportedStatistic::T { .. } | ReportedStatistic::R { .. } | ReportedStatistic::Z => true,
        ReportedStatistic::F { numerator, .. } => numerator.value == 1.0,
        ReportedStatistic::ChiSquared { df } => df.value == 1.0,
    };
    let one = two.half();
    let other = NumberRange {
        low: 1.0 - one.high,
        high: 1.0 - one.low,
    };
    let one_sided = directed && (p.admits(one) || p.admits(other));
    if admits(reported, p, two) || (reported.said.one_sided && one_sided) {
        return None;
    }
    Some(Misfit {
        detail: format!(
            "The statistic gives p {}, and p {} is printed.{}",
            shown(two),
            printed(p),
            if directed { half(p, one) } else { "" }
        ),
        decides: decides(p, two),
    })
}

/// A correlation beyond 1, whatever stands beside it.
pub fn correlation_in_range(reported: &ReportedEffect) -> Option<Misfit> {
    let (ReportedStatistic::R { .. }, value) = reported.statistic? else {
        return None;
    };
    (value.magnitude().low > 1.0).then(|| Misfit {
        detail: format!(
            "A correlation lies between -1 and 1, and {} is printed.",
            text(value)
        ),
        decides: true,
    })
}

/// The printed t or z against the estimate over its standard error.
pub fn statistic_of_error(reported: &ReportedEffect) -> Option<Misfit> {
    let (statistic, value) = reported.statistic?;
    if !matches!(statistic, ReportedStatistic::T { .. } | ReportedStatistic::Z) {
        return None;
    }
    let NumberRange { low, high } = ratio(reported.estimate?, reported.standard_error?)?;
    let magnitude = value.magnitude();
    (magnitude.high < low || magnitude.low > high).then(|| Misfit {
        detail: format!(
            "The estimate over its standard error lies between {low:.3} and {high:.3}, and {} is printed.",
            text(value)
        ),
        decides: false,
    })
}

/// The printed p against the estimate over its standard error.
fn p_of_error(reported: &ReportedEffect) -> Option<Misfit> {
    if reported.statistic.is_some() {
        return None;
    }
    let p = reported.p?;
    let NumberRange { low, high } = ratio(reported.estimate?, reported.standard_error?)?;
    // The degrees of freedom are not known: anything from few to many.
    let two = NumberRange {
        low: normal_two_sided(high),
        high: t_two_sided(low, FEW),
    };
    let one = two.half();
    let fits = admits(reported, p, two) || (reported.said.one_sided && p.admits(one));
    (!fits).then(|| Misfit {
        detail: format!(
            "The estimate over its standard error lies between {low:.3} and {high:.3}, which gives p {} at the \
             utmost, and p {} is printed.{}",
            shown(two),
            printed(p),
            half(p, one)
        ),
        decides: decides(p, two),
    })
}

/// Whether a p fits a two-sided range; one that was adjusted for several comparisons may be larger.
fn admits(reported: &ReportedEffect, p: ReportedP, range: NumberRange) -> bool {
    p.admits(range) || (reported.said.adjusted && p.admits(NumberRange { high: 1.0, ..range }))
}

/// What to add where a p fits one side only, and the text speaks of none.
fn half(p: ReportedP, one: NumberRange) -> &'static str {
    match p.relation {
        _ if !p.admits(one) => "",
        Relation::Equal => {
            " The printed p is half of the recomputed one, as of a one-sided test, which the text does not mention."
        }
        _ => " It fits a one-sided test, which the text does not mention.",
    }
}

/// An estimate that lies outside its interval.
pub fn estimate_in_interval(reported: &ReportedEffect) -> Option<Misfit> {
    let (estimate, (lower, upper)) = (reported.estimate?, reported.interval?);
    let NumberRange { low, high } = estimate.range();
    (high < lower.range().low || low > upper.range().high).then(|| Misfit {
        detail: format!(
            "The estimate {} lies outside its interval from {} to {}.",
            text(estimate),
            text(lower),
            text(upper)
        ),
        decides: false,
    })
}

/// The half width of an interval around the estimate against the standard error.
pub fn error_of_interval(reported: &ReportedEffect) -> Option<Misfit> {
    let (lower, upper) = reported.interval?;
    let error = reported.standard_error?;
    if !is_symmetric(reported.estimate?, lower, upper) {
        return None;
    }
    let level = reported.level.unwrap_or(0.95);
    let NumberRange {
        low: least,
        high: most,
    } = error.magnitude();
    let narrow = (upper.range().low - lower.range().high) / 2.0;
    let wide = (upper.range().high - lower.range().low) / 2.0;
    let quantile = 0.5 + level / 2.0;
    let (few, many) = (t_quantile(quantile, FEW), normal_quantile(quantile));
    // Multiples of 2 for 1.96 are common.
    let (fewest, highest) = (many.min(1.96_f64.min(many)) * least, few.max(2.0) * most);
    (most > 0.0 && (wide < fewest || narrow > highest)).then(|| Misfit {
        detail: format!(
            "The interval from {} to {} is {:.2} standard errors of {} to each side, and {:.2} to {:.2} would be \
             a {} % interval.",
            text(lower),
            text(upper),
            (upper.value - lower.value) / 2.0 / error.value.abs(),
            text(error),
            many,
            few,
            (level * 100.0).round()
        ),
        decides: false,
    })
}

/// Whether an interval holds zero, or the 1 of a ratio, against what p says at the same level.
fn p_of_interval(reported: &ReportedEffect) -> Option<Misfit> {
    let ((lower, upper), p) = (reported.interval?, reported.p?);
    let estimate = reported.estimate?;
    let (none, name) = if reported.is_ratio {
        (1.0, "1")
    } else {
        (0.0, "zero")
    };
    let fits = if reported.is_ratio {
        is_symmetric_ratio(estimate, lower, upper)
    } else {
        is_symmetric(estimate, lower, upper)
    };
    if !fits {
        return None;
    }
    let alpha = 1.0 - reported.level.unwrap_or(0.95);
    let without = lower.range().low > none || upper.range().high < none;
    let with = lower.range().high < none && upper.range().low > none;
    let NumberRange {
        low: least,
        high: most,
    } = p.value.range();
    // A p of one side is half as large, and one that is adjusted may be larger.
    let sides = if reported.said.one_sided { 2.0 } else { 1.0 };
    let above = matches!(p.relation, Relation::Equal | Relation::Greater)
        && least > alpha * (1.0 + 1e-9)
        && !reported.said.adjusted;
    let below = match p.relation {
        Relation::Equal => sides * most < alpha,
        Relation::Less => sides * p.value.value <= alpha * (1.0 + 1e-9),
        Relation::Greater => false,
    };
    let odd = (without && above) || (with && below);
    odd.then(|| Misfit {
        detail: format!(
            "The {} % interval from {} to {} {} {name}, and p {} is printed.",
            ((1.0 - alpha) * 100.0).round(),
            text(lower),
            text(upper),
            if without { "excludes" } else { "includes" },
            printed(p)
        ),
        decides: true,
    })
}

/// The same on the scale of logarithms, on which intervals of ratios are made.
fn is_symmetric_ratio(estimate: Rounded, lower: Rounded, upper: Rounded) -> bool {
    let logarithm = |number: Rounded| {
        let NumberRange { low, high } = number.range();
        (number.value > 0.0).then(|| NumberRange {
            low: low.max(f64::MIN_POSITIVE).ln(),
            high: high.ln(),
        })
    };
    let (Some(estimate), Some(lower), Some(upper)) =
        (logarithm(estimate), logarithm(lower), logarithm(upper))
    else {
        return false;
    };
    can_be_middle(estimate, lower, upper)
}

/// Whether the estimate can be the middle of its interval.
fn is_symmetric(estimate: Rounded, lower: Rounded, upper: Rounded) -> bool {
    can_be_middle(estimate.range(), lower.range(), upper.range())
}

fn can_be_middle(estimate: NumberRange, lower: NumberRange, upper: NumberRange) -> bool {
    let low = f64::midpoint(lower.low, upper.low);
    let high = f64::midpoint(lower.high, upper.high);
    low <= estimate.high && high >= estimate.low
}

/// The range of the magnitude of an estimate over its standard error.
fn ratio(estimate: Rounded, error: Rounded) -> Option<NumberRange> {
    let (size, divisor) = (estimate.magnitude(), error.magnitude());
    // An error that may be zero says nothing.
    (divisor.low > 0.0 && error.value > 0.0).then(|| NumberRange {
        low: size.low / divisor.high,
        high: size.high / divisor.low,
    })
}

fn decides(p: ReportedP, range: NumberRange) -> bool {
    let claimed = match p.relation {
        Relation::Equal => Some(p.value.value < LEVEL),
        Relation::Less => (p.value.value <= LEVEL).then_some(true),
        Relation::Greater => (p.value.value >= LEVEL).then_some(false),
    };
    match claimed {
        Some(true) => range.low >= LEVEL,
        Some(false) => range.high < LEVEL,
        None => false,
    }
}

fn printed(p: ReportedP) -> String {
    let sign = match p.relation {
        Relation::Equal => "=",
        Relation::Less => "<",
        Relation::Greater => ">",
    };
    format!("{sign} {}", text(p.value))
}

fn shown(range: NumberRange) -> String {
    let NumberRange { low, high } = range;
    let digits = |p: f64| {
        if p > 0.0 && p < 1e-4 {
            format!("{p:.1e}")
        } else {
            format!("{p:.4}")
        }
    };
    if digits(low) == digits(high) {
        format!("= {}", digits(low))
    } else {
        format!("from {} to {}", digits(low), digits(high))
    }
}

/// A number with its printed decimals.
fn text(number: Rounded) -> String {
    format!(
        "{:.*}",
        usize::try_from(number.decimals).unwrap_or(0),
        number.value
    )
}
