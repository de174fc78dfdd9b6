//! The p-value that decides: the reported one with its sides, or the one that the
//! other numbers give, and what speaks against it.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Relation};

use super::judged::capital;
use super::readings::{self, Reading};

/// The reading that decides, and whether it passes; what speaks against it is added.
///
/// # Errors
/// A finding without any p-value, or one whose p-value decides only if it has two sides, and nothing
/// tells its sides.
pub fn primary(
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
        let p = finding.p_value.filter(|p| p.relation == Relation::Equal)?;
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
                "{} decides only if it is two-sided, and nothing else shows how many sides it has.",
                two.words
            ),
        ));
    }
    Ok(Some(two))
}

/// Every other reading that is not of the same p-value.
fn disagreements(given: &Reading, others: &[Reading], threshold: f64, doubts: &mut Vec<Doubt>) {
    doubts.extend(raised(given, others, threshold));
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
        let (words, p) = (capital(&given.words), given.p_words());
        // A reported p-value names itself.
        let detail = if words.ends_with(&p) {
            format!(
                "{words} does not fit {}, which gives p {}{remark}.",
                other.words,
                other.p_words()
            )
        } else {
            format!(
                "{words} gives p {p}, and {} gives p {}{remark}.",
                other.words,
                other.p_words()
            )
        };
        doubts.push(Doubt::new(cause, detail, decides));
    }
}

/// A p-value that is above the level only since it was raised for its family.
fn raised(given: &Reading, others: &[Reading], threshold: f64) -> Option<Doubt> {
    let by = given
        .adjusted
        .as_ref()
        .filter(|_| given.below(threshold) == Some(false))?;
    let own = others.iter().find(|other| other.below(threshold) == Some(true))?;
    let own_p = own.p_words();
    Some(Doubt::deciding(
        DoubtCause::PValue,
        format!(
            "{} is adjusted ({by}), and {} alone gives p {own_p}: the plan does not say which of them counts.",
            capital(&given.words),
            own.words
        ),
    ))
}
