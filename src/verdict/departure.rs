//! Departures of a plan's rule from the one that is fixed for its claim.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Test;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::verdict::Outcome;

use super::condition;
use super::criteria::primary;
use super::judged::Judged;
use super::whole::on_scale;

/// The departure in words, with the plan's reason; none of a plan that keeps to
/// what is fixed.
pub fn describe(criterion: &Criterion, fixed: Option<&FixedCriterion>) -> Option<String> {
    let mut parts: Vec<String> = fixed
        .map(|fixed| fixed.differences(criterion))
        .unwrap_or_default()
        .into_iter()
        .map(|one| format!("{} {}, not {}", one.part, one.given, one.fixed))
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
    // An order or a contrast is a claim, though the statistic has no sign.
    let claims_an_effect = criterion.direction != ClaimedEffect::NoEffect
        || !criterion.greater.is_empty()
        || criterion.contrast.is_some();
    let has_fixed_claim = claims_an_effect || fixed.direction.is_some();
    if describe(criterion, Some(fixed)).is_none() || !has_fixed_claim {
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
    let judged = if plain.rule.is_default() {
        let judged = condition::judge(&plain.condition(), finding, pool);
        let untold = judged.outcome == Outcome::Inconclusive
            && plain.test == Test::Significance
            && criterion.test == Test::IntervalExcludes;
        // A credible interval has no p-value that the fixed rule could be asked by,
        // but a level and a null that it is held to.
        if untold {
            condition::judge(&interval_rule(&plain, fixed).condition(), finding, pool)
        } else {
            judged
        }
    } else {
        match on_scale(&plain, finding) {
            Ok((plain, finding)) => primary::judge(&plain, &finding),
            Err(doubt) => Judged::open(doubt),
        }
    };
    (judged.outcome != Outcome::Met).then(|| {
        Doubt::deciding(
            DoubtCause::WeakerRule,
            format!("By the rule that is fixed for the claim, {}.", judged.reason),
        )
    })
}

/// The fixed rule asked of an interval: two-sided unless one side is fixed.
fn interval_rule(plain: &Criterion, fixed: &FixedCriterion) -> Criterion {
    let one_sided = fixed.two_sided == Some(false);
    Criterion {
        test: Test::IntervalExcludes,
        alpha: if one_sided { 2.0 * plain.alpha } else { plain.alpha },
        ..plain.clone()
    }
}
