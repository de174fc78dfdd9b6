//! Conditions on where an effect lies: within bounds, beyond another coefficient,
//! outside an interval, above a margin.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;
use crate::statistics::distributions::{normal_two_sided, t_two_sided};

use super::additive::additive;
use super::criteria::magnitude::equivalence_of;
use super::criteria::study::StudyEstimate;
use super::figure::{figure, p_exact};
use super::judged::{Judged, capital, clause, outcome};
use super::readings;
use super::term::findings_for_term;

/// A bound in the unit of an additive finding. On the scale ratio b and 1 / b are
/// the same band, ± |ln b|; on every other one a bound is taken as it is. It is on
/// the planned scale where that is one of ratios, else on that of the numbers.
pub fn additive_bound(bound: f64, planned: Option<Scale>, used: Scale) -> f64 {
    match planned.filter(|scale| scale.is_ratio()).unwrap_or(used) {
        Scale::Ratio => bound.ln().abs(),
        _ => bound,
    }
}

pub fn equivalence(condition: &Condition, moved: &Finding, scale: Scale) -> Judged {
    let study = match StudyEstimate::from_finding(moved) {
        Ok((study, _)) => study,
        Err(error) => return Judged::open(Doubt::deciding(DoubtCause::Missing, error.to_string())),
    };
    let sesoi = condition
        .sesoi
        .map(|sesoi| additive_bound(sesoi, condition.scale, scale));
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
    let found = findings_for_term(minus, all);
    let [other] = found.as_slice() else {
        return missing(format!(
            "{} results have the name `{minus}`, and the difference needs one.",
            found.len()
        ));
    };
    let together = one_model(condition, moved, other);
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
    let (Ok((one, _)), Ok((two, _))) = (
        StudyEstimate::from_finding(moved),
        StudyEstimate::from_finding(&other),
    ) else {
        return missing(format!(
            "the difference of `{}` and `{minus}` needs the estimate and the standard error of both.",
            condition.term
        ));
    };
    let gap = one.estimate - two.estimate;
    let error = one.standard_error.hypot(two.standard_error);
    let df = welch(&one, &two);
    let p = df.map_or_else(
        || normal_two_sided(gap / error),
        |df| t_two_sided(gap / error, df),
    );
    let significant = p < readings::threshold(condition.level, condition.sides);
    let holds = condition.sign.sign() == Direction::from_value(gap);
    Judged {
        outcome: outcome(Some(significant && holds)),
        reason: format!(
            "`{}` minus `{minus}` is {} (standard error {}, taken as of independent estimates), p {}{}, {} {}",
            condition.term,
            figure(gap),
            figure(error),
            p_exact(p),
            df.map_or_else(String::new, |df| format!(" by t of {} df", figure(df))),
            if significant { "below" } else { "not below" },
            condition.level
        ),
        doubts: together.into_iter().collect(),
    }
}

/// The degrees of freedom of a difference of two estimates that both have some
/// (Welch 1947; Satterthwaite 1946).
fn welch(one: &StudyEstimate, two: &StudyEstimate) -> Option<f64> {
    let (one_df, two_df) = one.df.zip(two.df)?;
    // In shares of the whole variance nothing overflows.
    let error = one.standard_error.hypot(two.standard_error);
    let share = |study: &StudyEstimate| (study.standard_error / error).powi(2);
    Some(1.0 / (share(one).powi(2) / one_df + share(two).powi(2) / two_df))
}

/// Two coefficients of one model vary together, by how much no line says. Lines of
/// one coefficient, or of other rows, are of fits of their own.
fn one_model(condition: &Condition, one: &Finding, two: &Finding) -> Option<Doubt> {
    let model = |finding: &Finding| finding.model.as_deref().map(|model| model.trim().to_owned());
    let same = model(one).filter(|text| !text.is_empty())? == model(two)?;
    let coefficient = one
        .coefficient
        .as_ref()
        .is_some_and(|coefficient| two.coefficient.as_ref() == Some(coefficient));
    let rows = one.n.zip(two.n).is_some_and(|(one, two)| one != two);
    (same && !coefficient && !rows).then(|| {
        Doubt::beside(
            DoubtCause::Missing,
            format!(
                "`{}` and `{}` are coefficients of one model and not independent, and their covariance is not given.",
                condition.term, two.name
            ),
        )
    })
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
            format!("{words}, and {} % are asked for.", figure(100.0 * coverage)),
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
                let detail = format!("{}, which does not fit {}.", capital(&words), reading.words);
                Doubt::deciding(DoubtCause::Interval, detail)
            })
            .into_iter()
            .collect(),
    }
}

pub fn non_inferiority(condition: &Condition, moved: &Finding) -> Judged {
    let study = match StudyEstimate::from_finding(moved) {
        Ok((study, _)) => study,
        Err(error) => return Judged::open(Doubt::deciding(DoubtCause::Missing, error.to_string())),
    };
    let margin = condition.margin.unwrap_or_default();
    let by = |used: Scale| {
        let bound = additive_bound(margin, condition.scale, used);
        not_worse(condition, &study, bound)
    };
    let used = moved.scale.unwrap_or_default();
    // A ratio is a logarithm by here, so that a margin whose scale no plan names can be either.
    if used != Scale::LogRatio || condition.scale.is_some_and(Scale::is_ratio) {
        return by(used);
    }
    let (ratio, logarithm) = (by(Scale::Ratio), by(Scale::LogRatio));
    if ratio.outcome == logarithm.outcome {
        return ratio;
    }
    Judged::open(Doubt::deciding(
        DoubtCause::Scale,
        format!(
            "The plan does not say whether the margin {} is a ratio or the logarithm of one: as a ratio, {}; as a \
             logarithm, {}.",
            figure(margin),
            ratio.reason,
            logarithm.reason
        ),
    ))
}

/// Non-inferiority by a margin in the unit of the estimate.
fn not_worse(condition: &Condition, study: &StudyEstimate, margin: f64) -> Judged {
    if !(margin > 0.0 && margin.is_finite()) {
        return Judged::open(Doubt::deciding(
            DoubtCause::Missing,
            format!("no margin of `{}` that bounds anything is given.", condition.term),
        ));
    }
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
