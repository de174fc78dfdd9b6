//! Where a plan's rule is not the one that is fixed for its claim.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Test;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::rule::Rule;
use crate::domain::verdict::Outcome;

use super::condition;
use super::criteria::primary;

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
    let fixed = fixed?;
    let has_fixed_claim = criterion.direction != ClaimedEffect::NoEffect || fixed.direction.is_some();
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
    let (outcome, reason) = if plain.rule == Rule::SignificanceAndDirection {
        let judged = condition::judge(&plain.condition(), finding, pool);
        (judged.outcome, judged.reason)
    } else {
        primary::judge(&plain, finding)
    };
    // A credible interval has no p-value that the fixed rule could be asked by.
    let untold = outcome == Outcome::Inconclusive && criterion.test == Test::IntervalExcludes;
    (outcome != Outcome::Met && !untold).then(|| {
        Doubt::deciding(
            DoubtCause::WeakerRule,
            format!("By the rule that is fixed for the claim, {reason}."),
        )
    })
}
