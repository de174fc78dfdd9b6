//! The direction that a plan gives its claim against the original's focal result.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::Scale;

use super::additive::additive;
use super::figure::{figure, half_unit};
use super::one_scale::OneScale;
use super::readings;
use super::term::matches;

/// The level at which an original counts as one that shows its effect.
const LEVEL: f64 = 0.05;
/// How far the plan's number may be from the published one, relatively, beyond rounding.
const OFF: f64 = 0.01;
/// What a plan says that measures the other way round than the original did.
const TURNED: [&str; 5] = ["revers", "recod", "invert", "flip", "turned"];

/// A plan that claims the other sign, or none, where the original shows an effect
/// and the study fixes no direction. A reason that says that something is measured
/// the other way round leaves it beside.
pub fn doubt(
    criterion: &Criterion,
    fixed: Option<&FixedCriterion>,
    original: Option<&Finding>,
) -> Option<Doubt> {
    let original = original?;
    if fixed.is_some_and(|fixed| fixed.direction.is_some()) {
        return None;
    }
    let sign = shown(criterion, original)?;
    let says = match criterion.direction {
        ClaimedEffect::NoEffect if criterion.greater.is_empty() && criterion.contrast.is_none() => {
            "no effect".to_owned()
        }
        ClaimedEffect::NoEffect => return None,
        claimed if claimed.sign() == Some(sign) => return None,
        claimed => format!("a {claimed} effect"),
    };
    // Of another term the original says nothing that could be contradicted.
    let is_same = matches(&criterion.focal_term, &original.name).is_some();
    let reason = criterion.reason.to_lowercase();
    Some(Doubt::new(
        DoubtCause::Claim,
        format!(
            "The plan's claim is of {says}, and the original's focal result `{}` is {}, a {sign} effect that is \
             significant.",
            original.name,
            figure(original.estimate?)
        ),
        is_same && !TURNED.iter().any(|word| reason.contains(word)),
    ))
}

/// A plan whose rule compares with another number than the study publishes.
pub fn other_original(criterion: &Criterion, published: Option<&Finding>) -> Option<Doubt> {
    let planned = criterion
        .original
        .as_ref()
        .filter(|_| !criterion.rule.is_default())?;
    let both = OneScale::new(Some(published?), Some(planned), criterion.scale);
    let [published, own] = [both.original?, both.replication?].map(|one| one.estimate);
    let (published, own) = (published?, own?);
    // The plan may measure it the other way round.
    let apart = (published.abs() - own.abs()).abs();
    let rounding = [planned.estimate?, published].map(half_unit).iter().sum::<f64>();
    (apart > rounding + OFF * published.abs()).then(|| {
        Doubt::deciding(
            DoubtCause::Claim,
            format!(
                "The plan compares with an original of {}, and the study publishes {} for `{}`.",
                figure(own),
                figure(published),
                criterion.focal_term
            ),
        )
    })
}

/// The sign of an original that is significant; none where its scale is not sure.
fn shown(criterion: &Criterion, original: &Finding) -> Option<Direction> {
    let named = original
        .scale
        .or_else(|| criterion.scale.filter(|scale| scale.is_ratio()))
        .or_else(|| Scale::from_words(&original.name));
    let scale = named.unwrap_or_default();
    let moved = additive(original, scale, None).ok()?;
    let others = readings::others(&moved);
    let reported = readings::reported(&moved, moved.sides.unwrap_or(2));
    // A number without a scale may be a ratio, unless its error fits its p-value as it stands.
    let signed = original
        .statistic
        .as_ref()
        .is_some_and(|statistic| statistic.kind.is_signed());
    let fits = reported.as_ref().is_some_and(|reported| {
        original.standard_error.is_some() && others.iter().all(|one| one.fits(reported))
    });
    if named.is_none() && !signed && !fits {
        return None;
    }
    let below = reported
        .iter()
        .chain(&others)
        .find_map(|reading| reading.below(LEVEL));
    (below == Some(true))
        .then(|| readings::sign(&moved, scale))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};
    use crate::domain::rule::Rule;

    fn original(estimate: f64, error: f64, p: f64) -> Finding {
        Finding {
            name: "poverty".to_owned(),
            estimate: Some(estimate),
            standard_error: Some(error),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: p,
            }),
            df: Some(47.0),
            ..Finding::default()
        }
    }

    #[test]
    fn a_plan_that_compares_with_another_original_is_seen() {
        let ratio = |estimate: f64, scale: Scale| Finding {
            name: "poverty".to_owned(),
            estimate: Some(estimate),
            scale: Some(scale),
            ..Finding::default()
        };
        let of = |rule: Rule, planned: Finding| {
            let criterion = Criterion {
                rule,
                original: Some(planned),
                ..Criterion::significance("poverty", ClaimedEffect::Positive, 0.05, true)
            };
            other_original(&criterion, Some(&ratio(1.62, Scale::Ratio))).is_some()
        };
        assert!(!of(Rule::MetaAnalytic, ratio(0.482, Scale::LogRatio)));
        assert!(!of(Rule::MetaAnalytic, ratio(1.6, Scale::Ratio)), "rounded");
        assert!(of(Rule::MetaAnalytic, ratio(2.4, Scale::Ratio)));
        assert!(
            !of(Rule::default(), ratio(2.4, Scale::Ratio)),
            "the rule takes no original"
        );
    }

    fn is_shown_against(direction: ClaimedEffect, reason: &str, original: &Finding) -> Option<bool> {
        let criterion = Criterion {
            reason: reason.to_owned(),
            ..Criterion::significance("poverty", direction, 0.05, true)
        };
        doubt(&criterion, None, Some(original)).map(|doubt| doubt.decides)
    }

    #[test]
    fn the_plan_claims_what_the_original_shows() {
        let shown = original(17.68, 6.941, 0.014);
        assert_eq!(is_shown_against(ClaimedEffect::Positive, "", &shown), None);
        assert_eq!(is_shown_against(ClaimedEffect::Negative, "", &shown), Some(true));
        assert_eq!(
            is_shown_against(ClaimedEffect::NoEffect, "of no interest", &shown),
            Some(true)
        );
        assert_eq!(
            is_shown_against(ClaimedEffect::Negative, "The new scale is reversed.", &shown),
            Some(false)
        );
        assert_eq!(
            is_shown_against(ClaimedEffect::Negative, "", &original(1.0, 6.9, 0.88)),
            None
        );
        let other = Finding {
            name: "income".to_owned(),
            ..shown
        };
        assert_eq!(is_shown_against(ClaimedEffect::Negative, "", &other), Some(false));
    }

    #[test]
    fn a_number_that_may_be_a_ratio_shows_no_direction() {
        // An odds ratio below one, with the error of the ratio: z = log(.47) / (.0613 / .47).
        let ratio = original(0.47, 0.0613, 8e-9);
        assert_eq!(is_shown_against(ClaimedEffect::Negative, "", &ratio), None);
        let named = Finding {
            scale: Some(Scale::Ratio),
            ..ratio
        };
        assert_eq!(is_shown_against(ClaimedEffect::Negative, "", &named), None);
        assert_eq!(is_shown_against(ClaimedEffect::Positive, "", &named), Some(true));
    }

    #[test]
    fn what_the_study_fixes_needs_no_original() {
        let fixed = FixedCriterion {
            direction: Some(ClaimedEffect::Negative),
            ..FixedCriterion::default()
        };
        let criterion = Criterion::significance("poverty", ClaimedEffect::Negative, 0.05, true);
        assert_eq!(
            doubt(&criterion, Some(&fixed), Some(&original(17.68, 6.941, 0.014))),
            None
        );
    }
}
