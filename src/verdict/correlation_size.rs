//! Correlations from a finding's figures, with what each was computed from.

use super::criteria::assessment::number;
use crate::domain::finding::{Finding, Group};
use crate::domain::scale::{RatioKind, Scale};
use crate::domain::statistic::{Statistic, StatisticKind};
use crate::statistics::effect_size::EffectSize;
use crate::statistics::standardized::{GroupMoments, d_from_groups};
use crate::statistics::{correlation, log_odds};

/// The size of a correlation with its degrees of freedom.
#[derive(Debug, Clone, Copy)]
pub struct CorrelationSize {
    /// Without its sign, but of a correlation that was given.
    pub r: f64,
    /// Observations less two and less the variables held constant.
    pub free: f64,
}

/// The correlation behind a test statistic.
pub fn from_statistic(finding: &Finding, statistic: &Statistic) -> Option<(CorrelationSize, String)> {
    let value = statistic.value.abs();
    let n = finding.n.map(|n| n as f64);
    let df = &statistic.df.0;
    let numerator_is_one = df.first() == Some(&1.0);
    let size = match (&statistic.kind, statistic.df.last()) {
        (StatisticKind::T, Some(free)) => CorrelationSize {
            r: correlation::from_t(value, free),
            free,
        },
        (StatisticKind::F, Some(free)) if numerator_is_one && df.len() == 2 => CorrelationSize {
            r: correlation::from_f(value, free),
            free,
        },
        (StatisticKind::R, Some(free)) => CorrelationSize { r: value, free },
        (StatisticKind::R, None) => CorrelationSize {
            r: value,
            free: n? - 2.0,
        },
        (StatisticKind::T | StatisticKind::Z, _) => CorrelationSize {
            r: correlation::from_z(value, n?),
            free: n? - 2.0,
        },
        (StatisticKind::ChiSquared, Some(_)) if numerator_is_one => CorrelationSize {
            r: correlation::from_chi_squared(value, n?),
            free: n? - 2.0,
        },
        _ => return None,
    };
    let cases = match finding.n {
        Some(n) if statistic.df.is_empty() || statistic.kind == StatisticKind::ChiSquared => {
            format!(", n = {n}")
        }
        _ => String::new(),
    };
    let shown = Statistic {
        value: shortened(statistic.value),
        ..statistic.clone()
    };
    Some((size, format!("{shown}{cases}")))
}

/// A correlation that is the estimate itself, with its sign.
pub fn from_correlation(finding: &Finding) -> Option<(CorrelationSize, String)> {
    let r = finding
        .estimate
        .filter(|_| finding.scale == Some(Scale::Correlation))?;
    let (free, from) = match (finding.df, finding.n) {
        (Some(df), _) => (df, format!("r({}) = {}", number(df), number(r))),
        (None, n) => (n? as f64 - 2.0, format!("r = {}, n = {}", number(r), n?)),
    };
    Some((CorrelationSize { r, free }, from))
}

/// By the t of two independent groups, so that r is their point-biserial correlation.
pub fn from_groups(groups: &[Group]) -> Option<(CorrelationSize, String)> {
    let [first, second] = groups else {
        return None;
    };
    let moments = |group: &Group| {
        Some(GroupMoments {
            mean: group.mean?,
            sd: group.sd?,
            n: group.n? as f64,
        })
    };
    let (one, other) = (moments(first)?, moments(second)?);
    let d = d_from_groups(one, other);
    let free = one.n + other.n - 2.0;
    let t = d / (1.0 / one.n + 1.0 / other.n).sqrt();
    let from = format!(
        "d = {} of means and deviations, n = {} and {}",
        number(d),
        number(one.n),
        number(other.n)
    );
    Some((
        CorrelationSize {
            r: correlation::from_t(t.abs(), free),
            free,
        },
        from,
    ))
}

/// A log odds ratio as a standardized difference, and that as Fisher's z of a
/// correlation.
pub fn from_log_odds(finding: &Finding) -> Option<(EffectSize, String)> {
    let is_odds = finding.ratio.is_none_or(|kind| kind == RatioKind::Odds);
    let estimate = finding.estimate.filter(|_| is_odds)?;
    let by_statistic = |log: f64| {
        let z = finding
            .statistic
            .as_ref()
            .filter(|one| one.kind == StatisticKind::Z)?
            .value;
        EffectSize::new(log, (log / z).abs())
    };
    let logged = if finding.scale == Some(Scale::Ratio) {
        let interval = finding.interval.filter(|_| !finding.credible);
        let by_interval = interval.and_then(|interval| log_odds::from_interval(estimate, interval));
        by_interval.or_else(|| by_statistic(estimate.ln()))?
    } else {
        let by_error = finding
            .standard_error
            .and_then(|error| EffectSize::new(estimate, error));
        by_error.or_else(|| by_statistic(estimate))?
    };
    let sizes = match &finding.groups[..] {
        [first, second] => first
            .n
            .zip(second.n)
            .map(|(one, other)| [one as f64, other as f64]),
        _ => None,
    };
    let d = logged.log_odds_to_d();
    let fisher = d.d_to_r(sizes.unwrap_or([1.0, 1.0]))?.r_to_fisher()?;
    let groups = if sizes.is_some() {
        ""
    } else {
        " (groups taken as equal)"
    };
    let from = format!(
        "log odds ratio {} (SE {}), d = log odds × √3/π = {}{groups}",
        number(logged.value),
        number(logged.standard_error),
        number(d.value)
    );
    Some((fisher, from))
}

/// Four significant digits.
fn shortened(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}
