//! Criteria that ask whether the effect is large enough, and the ratio of the two.

use super::assessment::{Assessment, number, on_df, range};
use super::significance::NO_SIGN;
use super::study::{StudyEstimate, StudyPair, Terms};
use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::finding::{Direction, Interval};
use crate::domain::rule::Rule;
use crate::statistics::distributions::{normal_cdf, normal_quantile};
use crate::statistics::intervals::z_of;

/// The replication is not significantly smaller than the effect that the
/// original had little power to detect, one third unless another was fixed
/// (normal approximation).
pub fn small_telescopes(pair: &StudyPair) -> Assessment {
    let rule = Rule::SmallTelescopes;
    let Some(_) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let power = pair.terms.power;
    let small = pair.original.standard_error * (z_of(1.0 - pair.alpha) + normal_quantile(power));
    let oriented = pair.replication.estimate * pair.original.estimate.signum();
    let p = normal_cdf((oriented - small) / pair.replication.standard_error);
    let smaller = p < pair.terms.one_sided;
    Assessment {
        rule,
        value: Some(p),
        interval: None,
        decision: p.is_finite().then_some(!smaller),
        sentence: format!(
            "In the original's direction the replication's effect {} {} significantly smaller than {}, which \
             the original had {} power to detect, p {}.",
            number(oriented),
            if smaller { "is" } else { "is not" },
            number(small),
            if power == Terms::default().power {
                "one third".to_owned()
            } else {
                number(power)
            },
            number(p)
        ),
    }
}

/// Two one-sided tests against the smallest effect of interest: equivalence
/// fails the criterion, an effect significantly above it in the original's
/// direction meets it, anything else is undecided.
pub fn equivalence(pair: &StudyPair) -> Assessment {
    let Some(sign) = pair.original.direction() else {
        return Assessment::undecided(Rule::Equivalence, NO_SIGN);
    };
    equivalence_of(&pair.replication, sign.into(), pair.sesoi, pair.terms.one_sided)
}

/// The same of a replication alone. Of a claim of no effect it is the other way
/// round: equivalence meets the criterion, an effect significantly above the
/// smallest one of interest in either direction fails it, and everything else,
/// the merely not significant included, is undecided.
pub fn equivalence_of(
    replication: &StudyEstimate,
    claimed: ClaimedEffect,
    sesoi: Option<f64>,
    one_sided: f64,
) -> Assessment {
    let rule = Rule::Equivalence;
    let Some(sesoi) = sesoi.filter(|sesoi| sesoi.is_finite() && *sesoi > 0.0) else {
        return Assessment::undecided(
            rule,
            "No smallest effect of interest was preregistered, so equivalence is not tested.",
        );
    };
    let (estimate, error) = (replication.estimate, replication.standard_error);
    let tail = |distance: f64| replication.upper_tail(distance / error);
    let p = tail(sesoi + estimate).max(tail(sesoi - estimate));
    let oriented = match claimed.sign() {
        Some(Direction::Positive) => estimate,
        Some(Direction::Negative) => -estimate,
        None => estimate.abs(),
    };
    let above = tail(oriented - sesoi);
    let (equivalent, beyond) = (p < one_sided, above < one_sided);
    let (decision, words) = match (claimed.sign(), equivalent, beyond) {
        (Some(_), true, _) => (Some(false), "is significantly closer to zero than"),
        (Some(_), false, true) => (
            Some(true),
            "is significantly larger in the original's direction than",
        ),
        (Some(_), false, false) => (
            None,
            "is neither significantly closer to zero nor significantly larger than",
        ),
        (None, true, _) => (Some(true), "is significantly within ±"),
        (None, false, true) => (Some(false), "is significantly outside ±"),
        (None, false, false) => (
            None,
            "is neither significantly within nor significantly outside ±",
        ),
    };
    let (estimate, bound, df) = (number(estimate), number(sesoi), on_df(replication));
    let sentence = match claimed.sign() {
        Some(_) => format!(
            "The replication's effect {estimate} {words} the smallest effect of interest {bound}, p {}{df}.",
            number(if beyond { above } else { p })
        ),
        None => format!(
            "The replication's effect {estimate} {words}{bound}, the smallest effect of interest, p {} for an \
             effect within and {} for one outside{df}.",
            number(p),
            number(above)
        ),
    };
    Assessment {
        rule,
        value: Some(p),
        interval: Some(Interval {
            lower: -sesoi,
            upper: sesoi,
            level: 1.0 - 2.0 * one_sided,
        }),
        decision,
        sentence,
    }
}

/// The replication's estimate over the original's, with Fieller's interval; it
/// describes and decides nothing, and needs one scale.
pub fn effect_ratio(pair: &StudyPair) -> Assessment {
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
    let least = pair.terms.least_ratio;
    let decision = least.zip(interval).and_then(|(least, interval)| {
        let (met, unmet) = (interval.lower >= least, interval.upper < least);
        (met || unmet).then_some(met)
    });
    let against = least.map_or_else(String::new, |least| {
        format!(", against at least {} times", number(least))
    });
    Assessment {
        rule,
        value: Some(ratio),
        interval,
        decision,
        sentence: format!(
            "The replication's effect is {} times the original's{bounds}{against}.",
            number(ratio)
        ),
    }
}

fn percent(level: f64) -> String {
    number(100.0 * level)
}

/// Fieller's interval of the ratio of two independent normal estimates; `None`
/// where it is unbounded.
fn fieller(pair: &StudyPair) -> Option<Interval> {
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
