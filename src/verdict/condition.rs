//! Judgement of one condition by the numbers.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::{Condition, Test};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::format;
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;

use super::additive::additive;
use super::bounds::{difference, equivalence, interval_excludes, non_inferiority};
use super::coherence::interval::interval_doubts;
use super::deciding_p::primary;
use super::figure::{figure, p_figure};
use super::judged::{Judged, capital, clause};
use super::omnibus_tests;
use super::pattern::{self, Pattern};
use super::readings;
use super::term::findings_for_term;
use super::unnamed_ratio::{only_a_difference, only_a_ratio};

/// Judges a condition on the finding of its term; `all` holds the other findings
/// that a pattern, a contrast or a difference looks at.
pub fn judge(condition: &Condition, finding: &Finding, all: &[Finding]) -> Judged {
    let scale = scale_of(condition, finding);
    let moved = match additive(finding, scale, condition.null) {
        Ok(moved) => moved,
        Err(doubt) => return Judged::open(doubt),
    };
    let mut judged = match condition.test {
        Test::Significance => {
            let judged = significance(condition, finding, &moved, scale, all);
            match condition.sides {
                1 if judged.outcome == Outcome::Met
                    && omnibus_tests::compares_several(condition, finding) =>
                {
                    let both_sides = Condition {
                        sides: 2,
                        ..condition.clone()
                    };
                    omnibus_tests::held_to(judged, significance(&both_sides, finding, &moved, scale, all))
                }
                _ => judged,
            }
        }
        Test::Equivalence => equivalence(condition, &moved, scale),
        Test::Difference => difference(condition, &moved, scale, all),
        Test::IntervalExcludes => interval_excludes(condition, finding, &moved, scale),
        Test::NonInferiority => non_inferiority(condition, &moved),
    };
    if condition.test != Test::Significance {
        judged.doubts.extend(incoherent(condition, &moved));
    }
    judged.doubts.extend(interval_doubts(finding, &moved, scale));
    let outcome = judged.outcome;
    judged.doubts.extend(scale_doubt(condition, finding, || {
        let as_planned = Finding {
            scale: condition.scale,
            ..finding.clone()
        };
        judge(condition, &as_planned, all).outcome != outcome
    }));
    judged
}

/// What the numbers of a claim of no effect say of one another.
pub fn contradictions(condition: &Condition, finding: &Finding) -> Vec<Doubt> {
    let scale = scale_of(condition, finding);
    match additive(finding, scale, condition.null) {
        Ok(moved) => {
            let mut doubts = incoherent(condition, &moved);
            doubts.extend(interval_doubts(finding, &moved, scale));
            doubts
        }
        Err(doubt) => vec![doubt],
    }
}

/// Numbers of one line that are not of one estimate. A rule about where the
/// effect lies takes its error from them, whichever side of a level they are on.
fn incoherent(condition: &Condition, moved: &Finding) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    let threshold = readings::threshold(condition.level, condition.sides);
    // Without any p-value nothing can be contradicted.
    let _reading = primary(moved, threshold, &mut doubts);
    doubts.retain(|doubt| doubt.cause != DoubtCause::Sides);
    doubts.extend(readings::contrary(moved).map(|detail| Doubt::deciding(DoubtCause::Statistic, detail)));
    for doubt in &mut doubts {
        doubt.decides = true;
    }
    doubts
}

/// The scale that the numbers are on: what the code recorded of them counts, then
/// the plan, then the words of their name.
fn scale_of(condition: &Condition, finding: &Finding) -> Scale {
    if condition.scale == Some(Scale::Unsigned) {
        return Scale::Unsigned;
    }
    finding
        .scale
        .or(condition.scale)
        .or_else(|| Scale::from_words(&finding.name))
        .unwrap_or_default()
}

/// Ratios that are read as differences, or the reverse: the doubt decides where the
/// other scale gives another outcome.
pub fn scale_doubt(
    condition: &Condition,
    finding: &Finding,
    differs: impl FnOnce() -> bool,
) -> Option<Doubt> {
    let (planned, recorded) = (condition.scale?, finding.scale?);
    let kin = planned == recorded || (planned.is_ratio() && recorded.is_ratio());
    if kin || planned == Scale::Unsigned || recorded == Scale::Unsigned {
        return None;
    }
    let crossed = (planned == Scale::Ratio) != (recorded == Scale::Ratio);
    Some(Doubt::new(
        DoubtCause::Scale,
        format!(
            "The plan names the scale {planned} for `{}`, and its result is recorded on the scale {recorded}.",
            condition.term
        ),
        crossed && differs(),
    ))
}

fn significance(
    condition: &Condition,
    finding: &Finding,
    moved: &Finding,
    scale: Scale,
    all: &[Finding],
) -> Judged {
    let term = &condition.term;
    if condition.sign == ClaimedEffect::NoEffect
        && condition.greater.is_empty()
        && condition.contrast.is_none()
    {
        return Judged::open(Doubt::deciding(
            DoubtCause::Rule,
            "significance and direction cannot decide a claim of no effect, since a result that is not \
             significant is no evidence of no effect.",
        ));
    }
    let unnamed = only_a_ratio(condition, finding, scale);
    if let Some(doubt) = unnamed.or_else(|| only_a_difference(condition, finding, scale)) {
        return Judged::open(doubt);
    }
    let mut doubts = Vec::new();
    let direction = direction(condition, moved, scale, all);
    let threshold = readings::threshold(condition.level, condition.sides);
    let (reading, decides) = match primary(moved, threshold, &mut doubts) {
        Ok(found) => found,
        Err(doubt) => {
            let known = finding.estimate.map(figure);
            let detail = match known {
                Some(estimate) => format!("`{term}` is {estimate}, and {}", doubt.detail),
                None => format!("no estimate of `{term}` was reported, and {}", doubt.detail),
            };
            return Judged::open(Doubt { detail, ..doubt });
        }
    };
    if let Some(detail) = readings::contrary(moved).filter(|_| condition.greater.is_empty()) {
        doubts.push(Doubt::deciding(DoubtCause::Statistic, detail));
    }
    doubts.extend(readings::other_side(moved).map(|detail| Doubt::deciding(DoubtCause::Sides, detail)));
    doubts.extend(own_sign(condition, moved, scale, all));
    let agrees = match &direction {
        Ok(agrees) => agrees.clone(),
        // Without significance no direction is needed to say that it is not met.
        Err(_) if decides == Some(false) => Agreement {
            holds: false,
            words: String::new(),
        },
        Err(doubt) => {
            doubts.push(doubt.clone());
            return Judged {
                outcome: Outcome::Inconclusive,
                reason: clause(&doubt.detail),
                doubts,
            };
        }
    };
    let sides = format::plural(condition.sides, "one-sided", "two-sided");
    let Some(significant) = decides else {
        let detail = format!(
            "{} gives p {}, which does not tell whether the {sides} test passes at {}.",
            capital(&reading.words),
            reading.p_words(),
            condition.level
        );
        doubts.push(Doubt::deciding(DoubtCause::Bound, detail.clone()));
        return Judged {
            outcome: Outcome::Inconclusive,
            reason: clause(&detail),
            doubts,
        };
    };
    let outcome = if significant && agrees.holds {
        Outcome::Met
    } else {
        Outcome::Unmet
    };
    let level = if significant { "below" } else { "not below" };
    let p = match moved
        .p_value
        .filter(|_| reading.cause == DoubtCause::PValue && reading.words.starts_with("the reported"))
    {
        Some(p) => match &reading.adjusted {
            Some(by) => format!("p {}, adjusted ({by})", p_figure(p)),
            None => format!("p {}", p_figure(p)),
        },
        None => format!("p {}, from {}", reading.p_words(), reading.words),
    };
    let subject = subject(condition, finding, scale);
    let has = if agrees.words.is_empty() {
        String::new()
    } else {
        format!(", {}", agrees.words)
    };
    Judged {
        outcome,
        reason: format!(
            "`{term}` is {subject}{has}, with {p}, {level} {} ({sides})",
            condition.level
        ),
        doubts,
    }
}

/// The focal number as the sentence gives it.
fn subject(condition: &Condition, finding: &Finding, scale: Scale) -> String {
    match (finding.estimate, &finding.statistic) {
        (Some(estimate), _) if scale == Scale::Ratio && condition.test == Test::Significance => {
            format!("{}, a ratio", figure(estimate))
        }
        (Some(estimate), _) => figure(estimate),
        (None, Some(statistic)) => readings::shown(statistic),
        (None, None) => "not given".to_owned(),
    }
}

/// The agreement of the numbers with the claim's direction, and a clause on it.
#[derive(Debug, Clone, PartialEq)]
struct Agreement {
    holds: bool,
    words: String,
}

fn direction(
    condition: &Condition,
    moved: &Finding,
    scale: Scale,
    all: &[Finding],
) -> Result<Agreement, Doubt> {
    if condition.greater.len() > 1 {
        let order = condition.greater.join(" > ");
        return match pattern::holds(&condition.greater, moved, all) {
            Pattern::Holds(means) => Ok(Agreement {
                holds: true,
                words: format!("in the claimed order {order} ({means})"),
            }),
            Pattern::Fails(means) => Ok(Agreement {
                holds: false,
                words: format!("against the claimed order {order} ({means})"),
            }),
            Pattern::Unknown(missing) => Err(Doubt::deciding(
                DoubtCause::Direction,
                format!("The claim orders {order}, and no mean of {missing} is given."),
            )),
        };
    }
    let (sign, of) = match &condition.contrast {
        Some(contrast) => {
            let found = findings_for_term(contrast, all);
            let [one] = found.as_slice() else {
                return Err(Doubt::deciding(
                    DoubtCause::Direction,
                    format!(
                        "`{contrast}` gives `{}` its direction, and {} results have its name.",
                        condition.term,
                        found.len()
                    ),
                ));
            };
            (
                readings::sign(one, one.scale.unwrap_or_default()),
                format!("`{contrast}`"),
            )
        }
        None => (readings::sign(moved, scale), "it".to_owned()),
    };
    let Some(sign) = sign else {
        if moved.estimate.is_some_and(|estimate| estimate == 0.0) {
            return Ok(Agreement {
                holds: false,
                words: "which has no sign".to_owned(),
            });
        }
        let what = match (&moved.statistic, moved.interval) {
            (None, Some(_)) => "has no estimate, and an interval that includes no effect",
            _ => {
                "is a statistic without a sign, and neither a contrast nor the means of the groups are given"
            }
        };
        return Err(Doubt::deciding(
            DoubtCause::Direction,
            format!("`{}` {what}.", condition.term),
        ));
    };
    let holds = condition.sign.sign() == Some(sign);
    let has = if holds { "has" } else { "does not have" };
    let claimed = condition.sign;
    Ok(Agreement {
        holds,
        words: if of == "it" {
            format!("which {has} the {claimed} sign of the claim")
        } else {
            format!("and {of} {has} the {claimed} sign of the claim")
        },
    })
}

/// A contrast that lends its sign to an estimate that has another one.
fn own_sign(condition: &Condition, moved: &Finding, scale: Scale, all: &[Finding]) -> Option<Doubt> {
    let contrast = condition.contrast.as_deref()?;
    let own = readings::sign(moved, scale)?;
    let [lent] = findings_for_term(contrast, all)[..] else {
        return None;
    };
    let lent = readings::sign(lent, lent.scale.unwrap_or_default())?;
    (own != lent).then(|| {
        Doubt::deciding(
            DoubtCause::Direction,
            format!(
                "`{contrast}` is to give `{}` its direction, {lent}, and the estimate has one of its own, {own}.",
                condition.term
            ),
        )
    })
}
