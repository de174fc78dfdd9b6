//! Conditions on where an effect lies: within bounds, beyond another coefficient,
//! outside an interval, above a margin.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;
use crate::statistics::distributions::normal_two_sided;

use super::additive::additive;
use super::condition::{Judged, capital, clause, outcome};
use super::criteria::magnitude::equivalence_of;
use super::criteria::study::Study;
use super::figure::{figure, p_exact};
use super::readings;
use super::term::of_term;

pub fn equivalence(condition: &Condition, moved: &Finding, scale: Scale) -> Judged {
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

pub fn difference(condition: &Condition, moved: &Finding, scale: Scale, all: &[Finding]) -> Judged {
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
            p_exact(p),
            if significant { "below" } else { "not below" },
            condition.level
        ),
        doubts: Vec::new(),
    }
}

pub fn interval_excludes(condition: &Condition, finding: &Finding, moved: &Finding, scale: Scale) -> Judged {
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
    // A reported p-value has to be on the same side of the level.
    let contrary = readings::reported(moved, moved.sides.unwrap_or(2))
        .filter(|_| !finding.credible)
        .filter(|reading| {
            let outside = interval.lower > 0.0 || interval.upper < 0.0;
            reading.below(condition.level) == Some(!outside)
        });
    Judged {
        outcome: outcome(Some(excludes)),
        reason: format!("{words} on the claim's side"),
        doubts: contrary
            .map(|reading| {
                let detail = format!("{}, beside {}.", capital(&words), reading.words);
                Doubt::deciding(DoubtCause::Interval, detail)
            })
            .into_iter()
            .collect(),
    }
}

pub fn non_inferiority(condition: &Condition, moved: &Finding) -> Judged {
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
        p_exact(shown)
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
