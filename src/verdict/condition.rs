//! What the numbers say of one condition.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::{Condition, Test};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Direction, Finding, Interval};
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;
use crate::statistics::distributions::normal_two_sided;

use super::additive::additive;
use super::criteria::magnitude::equivalence_of;
use super::criteria::study::Study;
use super::figure::{figure, p_figure};
use super::pattern::{self, Pattern};
use super::readings::{self, Reading};
use super::term::of_term;

/// A condition, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub outcome: Outcome,
    /// One clause with the numbers.
    pub reason: String,
    pub doubts: Vec<Doubt>,
}

impl Judged {
    fn open(doubt: Doubt) -> Self {
        Self {
            outcome: Outcome::Inconclusive,
            reason: clause(&doubt.detail),
            doubts: vec![doubt],
        }
    }
}

/// Judges a condition on the finding of its term; `all` holds the other findings
/// that a pattern, a contrast or a difference looks at.
pub fn judge(condition: &Condition, finding: &Finding, all: &[Finding]) -> Judged {
    let scale = scale_of(condition, finding);
    let moved = match additive(finding, scale, condition.null) {
        Ok(moved) => moved,
        Err(doubt) => return Judged::open(doubt),
    };
    let mut judged = match condition.test {
        Test::Significance => significance(condition, finding, &moved, scale, all),
        Test::Equivalence => equivalence(condition, &moved, scale),
        Test::Difference => difference(condition, &moved, scale, all),
        Test::IntervalExcludes => interval_excludes(condition, finding, &moved, scale),
        Test::NonInferiority => non_inferiority(condition, &moved),
    };
    judged.doubts.extend(scale_doubt(condition, finding, scale));
    judged
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
        .or_else(|| Scale::of_words(&finding.name))
        .unwrap_or_default()
}

/// Ratios that are read as differences, or the reverse.
fn scale_doubt(condition: &Condition, finding: &Finding, used: Scale) -> Option<Doubt> {
    let (planned, recorded) = (condition.scale?, finding.scale?);
    let kin = planned == recorded || (planned.is_ratio() && recorded.is_ratio());
    (!kin && used != Scale::Unsigned).then(|| {
        Doubt::beside(
            DoubtCause::Scale,
            format!(
                "The plan names the scale {planned} for `{}`, and its result is recorded on the scale {recorded}.",
                condition.term
            ),
        )
    })
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
    if let Some(doubt) = only_a_ratio(condition, finding, scale) {
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
    let sides = if condition.sides == 1 {
        "one-sided"
    } else {
        "two-sided"
    };
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
        Some(p) => format!("p {}", p_figure(p)),
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
        (None, Some(statistic)) => statistic.to_string(),
        (None, None) => "not given".to_owned(),
    }
}

/// Whether the numbers have the direction of the claim, and a clause on it.
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
            let found = of_term(contrast, all);
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
        return Err(Doubt::deciding(
            DoubtCause::Direction,
            format!(
                "`{}` is a statistic without a sign, and neither a contrast nor the means of the groups stand beside it.",
                condition.term
            ),
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

/// The reading that decides, and whether it passes; what speaks against it is added.
fn primary(
    finding: &Finding,
    threshold: f64,
    doubts: &mut Vec<Doubt>,
) -> Result<(Reading, Option<bool>), Doubt> {
    let others = readings::others(finding);
    let given = match finding.sides {
        Some(sides) => readings::reported(finding, sides),
        None => sided(finding, &others, threshold, doubts)?,
    };
    let Some(given) = given else {
        let best = others
            .iter()
            .find(|reading| reading.below(threshold).is_some())
            .or_else(|| others.first())
            .cloned()
            .ok_or_else(|| {
                Doubt::deciding(
                    DoubtCause::Missing,
                    "no p-value was reported for it, nor a standard error, a statistic or an interval that gives one",
                )
            })?;
        disagreements(&best, &others, threshold, doubts);
        let decides = best.below(threshold);
        return Ok((best, decides));
    };
    disagreements(&given, &others, threshold, doubts);
    let decides = finding_below(finding, &given, threshold);
    Ok((given, decides))
}

/// An exact p-value is compared as it is printed: rounding alone leaves nothing open.
fn finding_below(finding: &Finding, given: &Reading, threshold: f64) -> Option<bool> {
    given.below(threshold).or_else(|| {
        let p = finding
            .p_value
            .filter(|p| p.relation == crate::domain::finding::Relation::Equal)?;
        let two = if finding.sides == Some(1) {
            2.0 * p.value.min(1.0 - p.value)
        } else {
            p.value
        };
        Some(two < threshold)
    })
}

/// The reported p-value where its sides are not said: by value, where another
/// number tells; else two-sided, unless that decides.
fn sided(
    finding: &Finding,
    others: &[Reading],
    threshold: f64,
    doubts: &mut Vec<Doubt>,
) -> Result<Option<Reading>, Doubt> {
    let Some(two) = readings::reported(finding, 2) else {
        return Ok(None);
    };
    let undirected = finding
        .statistic
        .as_ref()
        .is_some_and(|statistic| !statistic.kind.is_signed());
    // The reading that says most about the p-value tells the sides.
    let width = |reading: &Reading| reading.range.1 / reading.range.0.max(f64::MIN_POSITIVE);
    let sharpest = others
        .iter()
        .filter(|reading| reading.cause != DoubtCause::Interval)
        .min_by(|one, other| width(one).total_cmp(&width(other)));
    if undirected || sharpest.is_some_and(|reading| reading.fits(&two)) {
        return Ok(Some(two));
    }
    let one = readings::reported(finding, 1).unwrap_or_else(|| two.clone());
    if sharpest.is_some_and(|reading| reading.fits(&one)) {
        doubts.push(Doubt::beside(
            DoubtCause::Sides,
            format!(
                "{} fits only as one-sided: two-sided it is {}.",
                capital(&two.words),
                one.p_words()
            ),
        ));
        return Ok(Some(one));
    }
    if sharpest.is_none() && two.below(threshold) == Some(true) && one.below(threshold) == Some(false) {
        return Err(Doubt::deciding(
            DoubtCause::Sides,
            format!(
                "{} decides only as a two-sided one, and nothing beside it tells how many sides it has.",
                two.words
            ),
        ));
    }
    Ok(Some(two))
}

/// Every other reading that is not of the same p-value.
fn disagreements(given: &Reading, others: &[Reading], threshold: f64, doubts: &mut Vec<Doubt>) {
    for other in others {
        if other.fits(given) || other == given {
            continue;
        }
        let decides = match (given.below(threshold), other.below(threshold)) {
            (Some(one), Some(two)) => one != two,
            (Some(_), None) | (None, Some(_)) => true,
            (None, None) => false,
        };
        let half = (other.range.0 / 2.0, other.range.1 / 2.0);
        let halved = given.range.0 <= half.1 * 1.001
            && given.range.1 >= half.0 * 0.999
            && other.cause != DoubtCause::Interval;
        let cause = if halved { DoubtCause::Sides } else { other.cause };
        let remark = if halved { ", as of a one-sided test" } else { "" };
        doubts.push(Doubt {
            cause,
            detail: format!(
                "{} gives p {}, and {} gives p {}{remark}.",
                capital(&given.words),
                given.p_words(),
                other.words,
                other.p_words()
            ),
            decides,
        });
    }
}

/// Numbers that are of a ratio and are read as a difference: their interval or
/// p-value fits the logarithm and not the number itself.
fn only_a_ratio(condition: &Condition, finding: &Finding, scale: Scale) -> Option<Doubt> {
    if scale != Scale::Difference || finding.estimate.is_none_or(|estimate| estimate <= 0.0) {
        return None;
    }
    let given = readings::reported(finding, finding.sides.unwrap_or(2))?;
    let threshold = readings::threshold(condition.level, condition.sides);
    let plain: Vec<Reading> = readings::others(finding);
    let clashes = plain
        .iter()
        .any(|reading| !reading.fits(&given) && reading.below(threshold) != given.below(threshold));
    let skewed = finding
        .interval
        .zip(finding.estimate)
        .is_some_and(|(interval, estimate)| is_log_symmetric(interval, estimate));
    let logged = additive(finding, Scale::Ratio, None).ok()?;
    let fits = readings::others(&logged)
        .iter()
        .any(|reading| reading.fits(&given))
        && skewed;
    ((clashes || skewed) && fits).then(|| {
        Doubt::deciding(
            DoubtCause::Scale,
            format!(
                "`{}` is {} with an interval that is even on the scale of logarithms, as of a ratio, and neither the \
                 plan nor the result names the scale ratio.",
                condition.term,
                figure(finding.estimate.unwrap_or_default())
            ),
        )
    })
}

/// Whether an interval is even around its estimate in logarithms and not in itself.
fn is_log_symmetric(interval: Interval, estimate: f64) -> bool {
    if interval.lower <= 0.0 || estimate <= 0.0 {
        return false;
    }
    let width = interval.upper - interval.lower;
    let plain = (f64::midpoint(interval.lower, interval.upper) - estimate).abs() / width;
    let logs = interval.upper.ln() - interval.lower.ln();
    let logged = (f64::midpoint(interval.lower.ln(), interval.upper.ln()) - estimate.ln()).abs() / logs;
    plain > 0.03 && logged < 0.01
}

fn equivalence(condition: &Condition, moved: &Finding, scale: Scale) -> Judged {
    let study = match Study::from_finding(moved) {
        Ok((study, _)) => study,
        Err(error) => return Judged::open(Doubt::deciding(DoubtCause::Missing, error.to_string())),
    };
    let sesoi = condition.sesoi.map(|sesoi| {
        if scale == Scale::Ratio {
            sesoi.ln().abs()
        } else {
            sesoi
        }
    });
    let assessed = equivalence_of(&study, ClaimedEffect::NoEffect, sesoi, condition.level);
    let outcome = outcome(assessed.decision);
    let doubts = (outcome == Outcome::Inconclusive)
        .then(|| Doubt::deciding(DoubtCause::Rule, assessed.sentence.clone()))
        .into_iter()
        .collect();
    Judged {
        outcome,
        reason: format!("of `{}`, {}", condition.term, clause(&assessed.sentence)),
        doubts,
    }
}

fn difference(condition: &Condition, moved: &Finding, scale: Scale, all: &[Finding]) -> Judged {
    let minus = condition.minus.as_deref().unwrap_or_default();
    let missing = |detail: String| Judged::open(Doubt::deciding(DoubtCause::Missing, detail));
    let found = of_term(minus, all);
    let [other] = found.as_slice() else {
        return missing(format!(
            "{} results have the name `{minus}`, and the difference needs one.",
            found.len()
        ));
    };
    let other = match additive(
        other,
        if scale == Scale::Ratio {
            scale
        } else {
            other.scale.unwrap_or(scale)
        },
        None,
    ) {
        Ok(other) => other,
        Err(doubt) => return Judged::open(doubt),
    };
    let (Ok((one, _)), Ok((two, _))) = (Study::from_finding(moved), Study::from_finding(&other)) else {
        return missing(format!(
            "the difference of `{}` and `{minus}` needs the estimate and the standard error of both.",
            condition.term
        ));
    };
    let gap = one.estimate - two.estimate;
    let error = one.standard_error.hypot(two.standard_error);
    let p = normal_two_sided(gap / error);
    let significant = p < readings::threshold(condition.level, condition.sides);
    let holds = condition.sign.sign() == Direction::of(gap);
    Judged {
        outcome: outcome(Some(significant && holds)),
        reason: format!(
            "`{}` minus `{minus}` is {} (standard error {}, taken as of independent estimates), p {}, {} {}",
            condition.term,
            figure(gap),
            figure(error),
            super::figure::p_exact(p),
            if significant { "below" } else { "not below" },
            condition.level
        ),
        doubts: Vec::new(),
    }
}

fn interval_excludes(condition: &Condition, finding: &Finding, moved: &Finding, scale: Scale) -> Judged {
    let Some(interval) = moved.interval else {
        return Judged::open(Doubt::deciding(
            DoubtCause::Missing,
            format!("no interval of `{}` was reported.", condition.term),
        ));
    };
    let coverage = 1.0 - condition.level;
    let kind = if finding.credible {
        "credible"
    } else {
        "confidence"
    };
    let excludes = match condition.sign.sign() {
        Some(Direction::Positive) => interval.lower > 0.0,
        Some(Direction::Negative) => interval.upper < 0.0,
        None => interval.lower > 0.0 || interval.upper < 0.0,
    };
    let shown = finding.interval.unwrap_or(interval);
    let words = format!(
        "the {} % {kind} interval of `{}` from {} to {} {} {}",
        figure(100.0 * interval.level),
        condition.term,
        figure(shown.lower),
        figure(shown.upper),
        if excludes { "excludes" } else { "does not exclude" },
        figure(condition.null.unwrap_or_else(|| scale.null()))
    );
    // A narrower interval excludes more than the registered one would.
    let narrower = interval.level < coverage - 1e-9;
    let wider = interval.level > coverage + 1e-9;
    if (excludes && narrower) || (!excludes && wider) {
        return Judged::open(Doubt::deciding(
            DoubtCause::Interval,
            format!("{words}, and the plan asks for {} %.", figure(100.0 * coverage)),
        ));
    }
    Judged {
        outcome: outcome(Some(excludes)),
        reason: format!("{words} on the claim's side"),
        doubts: Vec::new(),
    }
}

fn non_inferiority(condition: &Condition, moved: &Finding) -> Judged {
    let study = match Study::from_finding(moved) {
        Ok((study, _)) => study,
        Err(error) => return Judged::open(Doubt::deciding(DoubtCause::Missing, error.to_string())),
    };
    let margin = condition.margin.unwrap_or_default();
    let oriented = match condition.sign.sign() {
        Some(Direction::Negative) => -study.estimate,
        _ => study.estimate,
    };
    let tail = |distance: f64| study.upper_tail(distance / study.standard_error);
    let (shown, worse) = (tail(oriented + margin), tail(-margin - oriented));
    let decision = if shown < condition.level {
        Some(true)
    } else if worse < condition.level {
        Some(false)
    } else {
        None
    };
    let words = match decision {
        Some(true) => "is significantly better than",
        Some(false) => "is significantly worse than",
        None => "is neither significantly better nor significantly worse than",
    };
    let reason = format!(
        "`{}` in the claim's direction is {} and {words} -{}, the margin, p {}",
        condition.term,
        figure(oriented),
        figure(margin),
        super::figure::p_exact(shown)
    );
    let doubts = decision
        .is_none()
        .then(|| Doubt::deciding(DoubtCause::Rule, format!("{}.", capital(&reason))))
        .into_iter()
        .collect();
    Judged {
        outcome: outcome(decision),
        reason,
        doubts,
    }
}

fn outcome(decision: Option<bool>) -> Outcome {
    match decision {
        Some(true) => Outcome::Met,
        Some(false) => Outcome::Unmet,
        None => Outcome::Inconclusive,
    }
}

/// A sentence as a clause: without its capital and its full stop.
pub fn clause(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string());
    let rest = characters.as_str();
    format!(
        "{}{}",
        first.unwrap_or_default(),
        rest.strip_suffix('.').unwrap_or(rest)
    )
}

/// A clause with a capital.
pub fn capital(clause: &str) -> String {
    let mut characters = clause.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}
