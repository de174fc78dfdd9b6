//! Tests of several comparisons at once, which have no side that could be the claim's.

use crate::domain::condition::Condition;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::domain::verdict::Outcome;

use super::judged::Judged;

/// Whether it is tested by an unsigned statistic with two or more numerator
/// degrees of freedom; where these are not given, by an order of more than two.
pub fn compares_several(condition: &Condition, finding: &Finding) -> bool {
    let by_order = condition.greater.len() > 2;
    match &finding.statistic {
        Some(statistic) if statistic.kind.is_signed() => false,
        Some(statistic) => statistic.df.0.first().map_or(by_order, |df| *df > 1.0),
        None => condition.scale.or(finding.scale) == Some(Scale::Unsigned) && by_order,
    }
}

/// A one-sided test that is met, left open where it is not met two-sided.
pub fn held_to(met: Judged, both_sides: Judged) -> Judged {
    if both_sides.outcome == Outcome::Met {
        return met;
    }
    let mut open = Judged::open(Doubt::deciding(
        DoubtCause::Sides,
        format!(
            "A statistic with several degrees of freedom has no side, and two-sided, {}.",
            both_sides.reason
        ),
    ));
    open.doubts.extend(met.doubts);
    open
}
