//! The sign of one number against the pattern of the claim, and our rule against
//! the project's.

use reprise::domain::criterion::Criterion;
use reprise::domain::finding::{Direction, Finding, PValue, Relation};
use reprise::domain::verdict::Outcome;
use reprise::verdict::condition::judge;

use crate::score::claims::{self, Claim};
use crate::score::head;
use crate::score::table::Agreement;

/// Whether both sides' numbers have one sign, where both have a sign.
fn same_sign(claim: &Claim) -> Option<bool> {
    Some(claim.original().sign()? == claim.replication().sign()?)
}

/// The same of the correlations alone, which are positive where they come from a
/// statistic without a sign.
pub fn same_sign_of_r(claim: &Claim) -> Option<bool> {
    let sign = |r: Option<f64>| Direction::from_value(r?);
    Some(sign(claim.original().r)? == sign(claim.replication().r)?)
}

/// Significance and direction at .05, two-sided, with the original's sign as the claim's.
fn significance_and_direction(claim: &Claim) -> Option<bool> {
    let (original, replication) = (claim.original().sign()?, claim.replication().sign()?);
    let criterion = Criterion::significance("focal", original, 0.05, true);
    let finding = Finding {
        name: "focal".to_owned(),
        estimate: Some(if replication == Direction::Positive {
            1.0
        } else {
            -1.0
        }),
        p_value: claim.number("repli_p_value").map(|value| PValue {
            relation: Relation::Equal,
            value,
        }),
        // The table's p-values are two-sided.
        sides: Some(2),
        ..Finding::default()
    };
    match judge(&criterion.condition(), &finding, &[]).outcome {
        Outcome::Met => Some(true),
        Outcome::Unmet => Some(false),
        Outcome::Inconclusive | Outcome::NotComparable => None,
    }
}

fn decided(
    claims: &[Claim],
    name: &str,
    theirs: impl Fn(&Claim) -> Option<bool>,
    ours: impl Fn(&Claim) -> Option<bool>,
) -> Agreement {
    let found = Agreement::count(claims.iter().filter(|claim| ours(claim).is_some()), theirs, &ours);
    found.print(name);
    found
}

#[test]
fn the_sign_of_one_number_is_not_the_pattern_of_a_claim() {
    let Some(claims) = claims::read() else { return };
    let pattern = |claim: &Claim| Some(claim.pattern());
    head("pattern, where a sign can be told");
    let signed = decided(&claims, "sign of t, z or coefficient", pattern, same_sign);
    assert_eq!(signed.counts(), [104, 104, 97]);
    // A claim of an interaction's shape (eg3p), of an order or of several terms
    // (OYX0, YWep), and codings that differ between the two studies (mrZ, rpq).
    assert_eq!(
        signed.differing,
        [
            "eg3p_single-trace",
            "mrZ_single-trace",
            "OYX0_2n1rrj",
            "OYX0_5o9y12",
            "OYX0_ywd1y9",
            "rpq_single-trace",
            "YWep_single-trace"
        ]
    );
    let any = decided(
        &claims,
        "sign of the correlation, whatever it is from",
        pattern,
        same_sign_of_r,
    );
    assert_eq!(any.counts(), [119, 119, 102]);
    let unsigned = claims
        .iter()
        .filter(|claim| any.differing.iter().any(|id| id == claim.id()))
        .filter(|claim| same_sign(claim).is_none());
    assert_eq!(unsigned.count(), 10);
}

#[test]
fn significance_and_direction_against_the_projects_own_rule() {
    let Some(claims) = claims::read() else { return };
    let theirs = |claim: &Claim| claim.flag("repli_score_criteria_met");
    head("p <= .05 and the pattern");
    let by_pattern = decided(&claims, "reported p and SCORE's pattern", theirs, |claim| {
        Some(claim.number("repli_p_value")? <= 0.05 && claim.pattern())
    });
    assert_eq!(by_pattern.counts(), [132, 132, 132]);
    let ours = decided(
        &claims,
        "significance and direction",
        theirs,
        significance_and_direction,
    );
    assert_eq!(ours.counts(), [104, 104, 99]);
    // Where the sign is not the pattern and the replication is significant.
    assert_eq!(
        ours.differing,
        [
            "OYX0_2n1rrj",
            "OYX0_5o9y12",
            "OYX0_ywd1y9",
            "rpq_single-trace",
            "YWep_single-trace"
        ]
    );
}
