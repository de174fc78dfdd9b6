//! A criterion of several conditions, judged as one.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::criterion::{Criterion, FurtherCondition};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::rule::Rule;
use crate::domain::scale::Scale;
use crate::domain::verdict::{ConditionOutcome, Outcome};

use super::additive::additive;
use super::bounds::additive_bound;
use super::condition;
use super::criteria::primary;
use super::judged::{self, Judged};
use super::term::findings_for_term;

/// The focal condition or the registered rule, with every further condition that counts.
pub fn whole(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Judged {
    let focal = focal_judged(criterion, finding, pool);
    let any: Vec<Judged> = criterion.any.iter().map(|one| further(one, pool)).collect();
    let first = if any.is_empty() { focal } else { either(focal, any) };
    criterion
        .all
        .iter()
        .fold(first, |so_far, one| both(so_far, further(one, pool)))
}

fn focal_judged(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Judged {
    if criterion.rule.is_default() {
        return condition::judge(&criterion.condition(), finding, pool);
    }
    let moved = match on_scale(criterion, finding) {
        Ok(moved) => moved,
        Err(doubt) => {
            return Judged {
                outcome: Outcome::Inconclusive,
                reason: judged::clause(&doubt.detail),
                doubts: vec![doubt],
            };
        }
    };
    let Judged { outcome, reason, .. } = primary::judge(&moved.0, &moved.1);
    // What the numbers say of one another is looked at whatever the rule is.
    let plain = Criterion {
        rule: Default::default(),
        ..criterion.clone()
    };
    let focal = plain.condition();
    let mut doubts = match criterion.direction {
        // Significance is no test of it.
        ClaimedEffect::NoEffect => {
            let mut doubts = condition::contradictions(&focal, finding);
            doubts.extend(condition::scale_doubt(&focal, finding, || {
                as_recorded(criterion, finding) != outcome
            }));
            doubts
        }
        _ => condition::judge(&focal, finding, pool).doubts,
    };
    for doubt in &mut doubts {
        let of_the_test = matches!(
            doubt.cause,
            DoubtCause::Bound | DoubtCause::Missing | DoubtCause::Direction | DoubtCause::Rule
        );
        doubt.decides &= !of_the_test;
    }
    if outcome == Outcome::Inconclusive {
        doubts.insert(
            0,
            Doubt::deciding(DoubtCause::Rule, format!("{}.", judged::capital(&reason))),
        );
    }
    Judged {
        outcome,
        reason,
        doubts,
    }
}

/// The outcome where the numbers are on the scale that the code recorded of them.
fn as_recorded(criterion: &Criterion, finding: &Finding) -> Outcome {
    let as_recorded = Criterion {
        scale: finding.scale,
        ..criterion.clone()
    };
    on_scale(&as_recorded, finding).map_or(Outcome::Inconclusive, |(criterion, finding)| {
        primary::judge(&criterion, &finding).outcome
    })
}

/// Criterion and finding with ratios logged, for rules that compare sizes.
///
/// # Errors
/// A ratio that is not above zero.
pub fn on_scale(criterion: &Criterion, finding: &Finding) -> Result<(Criterion, Finding), Doubt> {
    if criterion.rule == Rule::NumericalAgreement {
        return Ok((criterion.clone(), finding.clone()));
    }
    let planned = criterion.scale.or(finding.scale).unwrap_or_default();
    // A recorded logarithm is none to be taken again.
    let own = |one: &Finding| match one.scale {
        Some(recorded) if recorded.is_ratio() && planned.is_ratio() => recorded,
        _ => planned,
    };
    let moved = |one: &Finding| match own(one) {
        Scale::Ratio => additive(one, Scale::Ratio, None),
        _ => Ok(one.clone()),
    };
    let mut criterion = criterion.clone();
    criterion.original = criterion.original.as_ref().map(moved).transpose()?;
    criterion.parameters.sesoi = criterion
        .parameters
        .sesoi
        .map(|sesoi| additive_bound(sesoi, criterion.scale, own(finding)));
    Ok((criterion, moved(finding)?))
}

fn further(condition: &Condition, pool: &[Finding]) -> Judged {
    let found = findings_for_term(&condition.term, pool);
    match found.as_slice() {
        [] => {
            let detail = format!("no result has the name `{}`.", condition.term);
            Judged {
                outcome: Outcome::Inconclusive,
                reason: judged::clause(&detail),
                doubts: vec![Doubt::deciding(DoubtCause::Missing, detail)],
            }
        }
        [one] => condition::judge(condition, one, pool),
        several => {
            let mut judged: Vec<Judged> = several
                .iter()
                .map(|one| condition::judge(condition, one, pool))
                .collect();
            let first = judged.remove(0);
            if judged.iter().all(|other| other.outcome == first.outcome) {
                return first;
            }
            let detail = format!(
                "{} results have the name `{}` and decide differently.",
                several.len(),
                condition.term
            );
            Judged {
                outcome: Outcome::Inconclusive,
                reason: judged::clause(&detail),
                doubts: vec![Doubt::deciding(DoubtCause::Several, detail)],
            }
        }
    }
}

fn both(one: Judged, other: Judged) -> Judged {
    let outcome = match (one.outcome, other.outcome) {
        (Outcome::Unmet, _) | (_, Outcome::Unmet) => Outcome::Unmet,
        (Outcome::Met, Outcome::Met) => Outcome::Met,
        _ => Outcome::Inconclusive,
    };
    joined(outcome, one, other, "; and ")
}

fn either(first: Judged, others: Vec<Judged>) -> Judged {
    others.into_iter().fold(first, |one, other| {
        let outcome = match (one.outcome, other.outcome) {
            (Outcome::Met, _) | (_, Outcome::Met) => Outcome::Met,
            (Outcome::Unmet, Outcome::Unmet) => Outcome::Unmet,
            _ => Outcome::Inconclusive,
        };
        joined(outcome, one, other, "; or ")
    })
}

/// A doubt decides of a part only where that part decides the whole.
fn joined(outcome: Outcome, one: Judged, other: Judged, word: &str) -> Judged {
    let reason = format!("{}{word}{}", one.reason, other.reason);
    let settled = |part: &Judged| part.outcome == outcome && !part.doubts.iter().any(|doubt| doubt.decides);
    // One part that is beyond doubt settles a failed `and` and a fulfilled `or`.
    let beyond = settled(&one) || settled(&other);
    let absorbing =
        (word == "; and " && outcome == Outcome::Unmet) || (word == "; or " && outcome == Outcome::Met);
    let mut doubts: Vec<Doubt> = one.doubts.into_iter().chain(other.doubts).collect();
    if beyond && absorbing {
        for doubt in &mut doubts {
            doubt.decides = false;
        }
    }
    Judged {
        outcome,
        reason,
        doubts,
    }
}

/// Each condition by itself, where there are several.
pub fn conditions(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Vec<ConditionOutcome> {
    if criterion.further().next().is_none() {
        return Vec::new();
    }
    let focal = focal_judged(criterion, finding, pool);
    let mut outcomes = vec![ConditionOutcome {
        condition: criterion.condition(),
        outcome: focal.outcome,
        reason: focal.reason,
        decides: true,
    }];
    outcomes.extend(criterion.further().map(
        |FurtherCondition {
             key, condition: one, ..
         }| {
            let judged = further(one, pool);
            ConditionOutcome {
                condition: one.clone(),
                outcome: judged.outcome,
                reason: judged.reason,
                decides: key != "also_reported",
            }
        },
    ));
    outcomes
}
