//! Criteria that ask whether the effect is large enough, and the ratio of the two.

use super::assessment::{Assessment, Rule, number, range};
use super::significance::NO_SIGN;
use super::study::Pair;
use crate::analysis::distributions::{normal_cdf, normal_quantile, normal_upper};
use crate::analysis::intervals::z_of;
use crate::domain::finding::Interval;

/// Power of the original study that makes an effect too small for it to have seen.
const SMALL_POWER: f64 = 1.0 / 3.0;
/// Error of the one-sided tests here.
const ONE_SIDED: f64 = 0.05;

/// The replication is not significantly smaller than the effect that the
/// original had one third power to detect (normal approximation).
pub fn small_telescopes(pair: &Pair) -> Assessment {
    let rule = Rule::SmallTelescopes;
    let Some(_) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let small = pair.original.standard_error * (z_of(pair.level()) + normal_quantile(SMALL_POWER));
    let oriented = pair.replication.estimate * pair.original.estimate.signum();
    let p = normal_cdf((oriented - small) / pair.replication.standard_error);
    let smaller = p < ONE_SIDED;
    Assessment {
        rule,
        value: Some(p),
        interval: None,
        decision: p.is_finite().then_some(!smaller),
        sentence: format!(
            "In the original's direction the replication's effect {} {} significantly smaller than {}, which \
             the original had one third power to detect, p {}.",
            number(oriented),
            if smaller { "is" } else { "is not" },
            number(small),
            number(p)
        ),
    }
}

/// Two one-sided tests against the smallest effect of interest: equivalence
/// fails the criterion, an effect significantly above it in the original's
/// direction meets it, anything else is undecided.
pub fn equivalence(pair: &Pair) -> Assessment {
    let rule = Rule::Equivalence;
    let Some(sesoi) = pair.sesoi.filter(|sesoi| sesoi.is_finite() && *sesoi > 0.0) else {
        return Assessment::undecided(
            rule,
            "No smallest effect of interest was preregistered, so equivalence is not tested.",
        );
    };
    let (estimate, error) = (pair.replication.estimate, pair.replication.standard_error);
    let p = normal_upper((estimate + sesoi) / error).max(normal_cdf((estimate - sesoi) / error));
    let oriented = estimate * pair.original.estimate.signum();
    let above = normal_upper((oriented - sesoi) / error) < ONE_SIDED;
    let equivalent = p < ONE_SIDED;
    let (decision, words) = match (equivalent, above) {
        (true, _) => (Some(false), "is significantly closer to zero than"),
        (false, true) => (
            Some(true),
            "is significantly larger in the original's direction than",
        ),
        (false, false) => (
            None,
            "is neither significantly closer to zero nor significantly larger than",
        ),
    };
    Assessment {
        rule,
        value: Some(p),
        interval: Some(Interval {
            lower: -sesoi,
            upper: sesoi,
            level: 1.0 - 2.0 * ONE_SIDED,
        }),
        decision,
        sentence: format!(
            "The replication's effect {} {words} the smallest effect of interest {}, p of equivalence {}.",
            number(estimate),
            number(sesoi),
            number(p)
        ),
    }
}

/// The replication's estimate over the original's, with Fieller's interval; it
/// describes and decides nothing, and needs one scale.
pub fn effect_ratio(pair: &Pair) -> Assessment {
    let rule = Rule::EffectRatio;
    let Some(_) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let ratio = pair.replication.estimate / pair.original.estimate;
    if !ratio.is_finite() {
        return Assessment::undecided(rule, "The original estimate is too close to zero for a ratio.");
    }
    let interval = fieller(pair);
    let bounds = interval.map_or_else(
        || {
            "; its interval is unbounded because the original does not differ significantly from zero"
                .to_owned()
        },
        |interval| format!(", {} % interval {}", percent(interval.level), range(interval)),
    );
    Assessment {
        rule,
        value: Some(ratio),
        interval,
        decision: None,
        sentence: format!(
            "The replication's effect is {} times the original's{bounds}.",
            number(ratio)
        ),
    }
}

fn percent(level: f64) -> String {
    number(100.0 * level)
}

/// Fieller's interval of the ratio of two independent normal estimates; `None`
/// where it is unbounded.
fn fieller(pair: &Pair) -> Option<Interval> {
    // In units of the standard errors nothing overflows.
    let (original, replication) = (pair.original.z(), pair.replication.z());
    let scale = pair.replication.standard_error / pair.original.standard_error;
    let square = z_of(pair.level()).powi(2);
    let denominator = original.powi(2) - square;
    if denominator.is_nan() || denominator <= 0.0 {
        return None;
    }
    let product = original * replication;
    // Equal to product² - denominator (replication² - square), without cancelling.
    let root = (square * (original.powi(2) + replication.powi(2) - square))
        .max(0.0)
        .sqrt();
    let interval = Interval {
        lower: scale * (product - root) / denominator,
        upper: scale * (product + root) / denominator,
        level: pair.level(),
    };
    (interval.lower.is_finite() && interval.upper.is_finite()).then_some(interval)
}
