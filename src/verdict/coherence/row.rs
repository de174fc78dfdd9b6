//! The numbers of one effect held against one another, by the code of the verdict.

use serde::Serialize;

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Direction, Finding};
use crate::domain::scale::Scale;
use crate::verdict::additive::additive;
use crate::verdict::condition;
use crate::verdict::judged::capital;
use crate::verdict::readings;

use super::check::{
    Misfit, correlation_in_range, error_of_interval, estimate_in_interval, statistic_of_error,
};
use super::interval::interval_doubts;
use super::reported::ReportedEffect;

/// The fit of a row's numbers to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    Fits,
    /// The p-value is half of what the others give, and nothing says that it is one-sided.
    OnlyOneSided,
    DoesNotFit,
    /// There are no two numbers that could contradict one another.
    NothingToCompare,
}

impl Fit {
    /// The words of a line.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::OnlyOneSided => "fits only as one-sided",
            Self::DoesNotFit => "does not fit",
            Self::NothingToCompare => "nothing to compare",
        }
    }
}

/// A row, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct RowCheck {
    pub fit: Fit,
    /// Each with both numbers; `decides` says that the significance is another one.
    pub misfits: Vec<Doubt>,
}

/// Checks a finding whose numbers are given with the digits of `printed`.
pub fn check(finding: &Finding, printed: &ReportedEffect, level: f64) -> RowCheck {
    let scale = finding
        .scale
        .or_else(|| Scale::from_words(&finding.name))
        .unwrap_or_default();
    let sign = match readings::sign(finding, scale) {
        Some(Direction::Negative) => ClaimedEffect::Negative,
        _ => ClaimedEffect::Positive,
    };
    let sides = finding.sides.unwrap_or(2);
    let condition = Condition::significance(finding.name.clone(), sign, level, sides);
    let mut misfits: Vec<Doubt> = condition::judge(&condition, finding, &[])
        .doubts
        .into_iter()
        .filter(|doubt| is_of_numbers(doubt.cause))
        .collect();
    // With the digits as they are printed, the own checks below see more.
    if let Ok(moved) = additive(finding, scale, None) {
        let by_value = interval_doubts(finding, &moved, scale);
        misfits.retain(|doubt| !by_value.contains(doubt));
    }
    let own = [
        (DoubtCause::Statistic, correlation_in_range(printed)),
        (DoubtCause::Interval, estimate_in_interval(printed)),
        (
            DoubtCause::Interval,
            error_of_interval(printed).filter(|_| !scale.is_ratio()),
        ),
        (
            DoubtCause::Statistic,
            statistic_of_error(printed).filter(|_| scale != Scale::Ratio),
        ),
    ];
    for (cause, found) in own {
        misfits.extend(found.map(|Misfit { detail, decides }| Doubt::new(cause, detail, decides)));
    }
    misfits.extend(pairs(finding, scale, level, &misfits));
    let alone = is_alone(finding, scale);
    if alone {
        // What a lone p-value leaves open is a matter of the rule.
        misfits.retain(|doubt| !matches!(doubt.cause, DoubtCause::PValue | DoubtCause::Sides));
    }
    let only_sides = !misfits.is_empty()
        && finding.sides.is_none()
        && misfits
            .iter()
            .all(|doubt| doubt.cause == DoubtCause::Sides && !doubt.decides);
    let fit = if only_sides {
        Fit::OnlyOneSided
    } else if !misfits.is_empty() {
        Fit::DoesNotFit
    } else if alone {
        Fit::NothingToCompare
    } else {
        Fit::Fits
    };
    RowCheck { fit, misfits }
}

/// What is said of numbers, and not of a rule that lacks some.
fn is_of_numbers(cause: DoubtCause) -> bool {
    matches!(
        cause,
        DoubtCause::PValue
            | DoubtCause::Statistic
            | DoubtCause::Interval
            | DoubtCause::Sides
            | DoubtCause::Scale
    )
}

/// The statistic and the interval against one another and against the error,
/// where the reported p-value is too wide a bound to tell, or absent.
fn pairs(finding: &Finding, scale: Scale, level: f64, known: &[Doubt]) -> Vec<Doubt> {
    let Ok(moved) = additive(finding, scale, None) else {
        return Vec::new();
    };
    let readings = readings::others(&moved);
    let told = |words: &str| {
        known
            .iter()
            .any(|doubt| doubt.detail.to_lowercase().contains(&words.to_lowercase()))
    };
    let mut found = Vec::new();
    for (at, one) in readings.iter().enumerate() {
        for other in &readings[at + 1..] {
            let by_size = other.cause != DoubtCause::Interval;
            if one.fits(other) || by_size || told(&one.words) || told(&other.words) {
                continue;
            }
            found.push(Doubt::new(
                other.cause,
                format!(
                    "{} gives p {}, and {} gives p {}.",
                    capital(&one.words),
                    one.p_words(),
                    other.words,
                    other.p_words()
                ),
                one.below(level) != other.below(level),
            ));
        }
    }
    found
}

fn is_alone(finding: &Finding, scale: Scale) -> bool {
    let moved = additive(finding, scale, None).unwrap_or_else(|_| finding.clone());
    let ways = readings::others(&moved).len() + usize::from(finding.p_value.is_some());
    ways < 2 && (finding.estimate.is_none() || finding.interval.is_none())
}
