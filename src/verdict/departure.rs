//! Where a plan's rule is not the one that is fixed for its claim.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::{Condition, Test};
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;

use super::condition;
use super::criteria::primary;
use super::term::of_term;
use super::whole::on_scale;

/// The departure in words, with the plan's reason; none of a plan that keeps to
/// what is fixed.
pub fn of(criterion: &Criterion, fixed: Option<&FixedCriterion>) -> Option<String> {
    let mut parts: Vec<String> = fixed
        .map(|fixed| fixed.differences(criterion))
        .unwrap_or_default()
        .into_iter()
        .map(|(name, fixed, given)| format!("{name} {given}, not {fixed}"))
        .collect();
    if !criterion.any.is_empty() {
        parts.push(format!(
            "{} alternatives to the focal condition",
            criterion.any.len()
        ));
    }
    if parts.is_empty() {
        return None;
    }
    let reason = criterion.reason.trim();
    let reason = if reason.is_empty() {
        "no reason is given".to_owned()
    } else {
        format!("the plan's reason: {}", reason.trim_end_matches('.'))
    };
    Some(format!("{} ({reason})", parts.join("; ")))
}

/// A doubt where the fixed rule, on the same numbers, is not met: a plan that
/// asks for less than what is fixed yields no plain 'met'.
pub fn weaker(
    criterion: &Criterion,
    fixed: Option<&FixedCriterion>,
    finding: &Finding,
    pool: &[Finding],
) -> Option<Doubt> {
    by_fixed(criterion, fixed, finding, pool).or_else(|| sideless(criterion, finding, pool))
}

fn by_fixed(
    criterion: &Criterion,
    fixed: Option<&FixedCriterion>,
    finding: &Finding,
    pool: &[Finding],
) -> Option<Doubt> {
    let fixed = fixed?;
    // An order or a contrast is a claim, though the statistic has no sign.
    let claims_an_effect = criterion.direction != ClaimedEffect::NoEffect
        || !criterion.greater.is_empty()
        || criterion.contrast.is_some();
    let has_fixed_claim = claims_an_effect || fixed.direction.is_some();
    if of(criterion, Some(fixed)).is_none() || !has_fixed_claim {
        return None;
    }
    let plain = Criterion {
        rule: fixed.rule,
        alpha: fixed.alpha.unwrap_or(criterion.alpha),
        two_sided: fixed.two_sided.unwrap_or(criterion.two_sided),
        direction: fixed.direction.unwrap_or(criterion.direction),
        parameters: fixed.parameters.clone(),
        test: fixed.test.unwrap_or_default(),
        null: fixed.null,
        margin: fixed.margin,
        any: Vec::new(),
        ..criterion.clone()
    };
    let (outcome, reason) = if plain.rule.is_default() {
        let judged = condition::judge(&plain.condition(), finding, pool);
        let untold = judged.outcome == Outcome::Inconclusive
            && plain.test == Test::Significance
            && criterion.test == Test::IntervalExcludes;
        // A credible interval has no p-value that the fixed rule could be asked by,
        // but a level and a null that it is held to.
        let judged = if untold {
            condition::judge(&of_interval(&plain, fixed).condition(), finding, pool)
        } else {
            judged
        };
        (judged.outcome, judged.reason)
    } else {
        match on_scale(&plain, finding) {
            Ok((plain, finding)) => primary::judge(&plain, &finding),
            Err(doubt) => (Outcome::Inconclusive, condition::clause(&doubt.detail)),
        }
    };
    (outcome != Outcome::Met).then(|| {
        Doubt::deciding(
            DoubtCause::WeakerRule,
            format!("By the rule that is fixed for the claim, {reason}."),
        )
    })
}

/// The fixed rule asked of an interval: two-sided unless one side is fixed.
fn of_interval(plain: &Criterion, fixed: &FixedCriterion) -> Criterion {
    let one_sided = fixed.two_sided == Some(false);
    Criterion {
        test: Test::IntervalExcludes,
        alpha: if one_sided { 2.0 * plain.alpha } else { plain.alpha },
        ..plain.clone()
    }
}

/// A doubt where a statistic of several comparisons at once passes at twice its
/// level only: such a test has no side that could be the claim's.
fn sideless(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Option<Doubt> {
    let focal = criterion
        .rule
        .is_default()
        .then(|| (criterion.condition(), vec![finding]));
    let further = criterion
        .all
        .iter()
        .map(|one| (one.clone(), of_term(&one.term, pool)));
    focal.into_iter().chain(further).find_map(|(condition, found)| {
        if condition.sides != 1 || condition.test != Test::Significance {
            return None;
        }
        let condition = Condition {
            sides: 2,
            ..condition
        };
        found
            .into_iter()
            .filter(|one| compares_several(&condition, one))
            .map(|one| condition::judge(&condition, one, pool))
            .find(|judged| judged.outcome != Outcome::Met)
            .map(|judged| {
                Doubt::deciding(
                    DoubtCause::Sides,
                    format!(
                        "A statistic with several degrees of freedom has no side, and two-sided, {}.",
                        judged.reason
                    ),
                )
            })
    })
}

/// Whether it is tested by an unsigned statistic with two or more numerator
/// degrees of freedom; where these are not given, by an order of more than two.
fn compares_several(condition: &Condition, finding: &Finding) -> bool {
    let by_order = condition.greater.len() > 2;
    match &finding.statistic {
        Some(statistic) if statistic.kind.is_signed() => false,
        Some(statistic) => statistic.df.0.first().map_or(by_order, |df| *df > 1.0),
        None => condition.scale.or(finding.scale) == Some(Scale::Unsigned) && by_order,
    }
}
