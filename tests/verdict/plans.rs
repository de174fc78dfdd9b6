//! Plans that ask for less than what is fixed for their claim.

use reprise::domain::doubt::DoubtCause;
use reprise::domain::verdict::Outcome;
use serde_json::json;

use super::support::verdict;

#[test]
fn a_weaker_level_gives_no_plain_met() {
    // z = 1.8: p = .072.
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.5, "n": 2000});
    let weak = json!({"alpha": 0.1, "reason": "The paper uses ten percent."});
    let found = verdict(weak.clone(), &[line]);
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{found:#?}"
    );
    let strong = json!({"term": "x", "estimate": 0.9, "se": 0.1, "n": 2000});
    let found = verdict(weak.clone(), &[strong]);
    assert_eq!(found.outcome, Outcome::Met);
    assert_eq!(
        found.departure.as_deref(),
        Some("alpha 0.1, not 0.05 (the plan's reason: The paper uses ten percent)")
    );
    let none = json!({"term": "x", "estimate": 0.1, "se": 0.5, "n": 2000});
    assert_eq!(verdict(weak, &[none]).outcome, Outcome::Unmet);
}

#[test]
fn one_side_is_weaker_too() {
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.5, "n": 2000});
    let found = verdict(json!({"two_sided": false, "reason": "Directed."}), &[line]);
    assert_eq!(
        (found.outcome, found.cause),
        (Outcome::Inconclusive, Some(DoubtCause::WeakerRule)),
        "{found:#?}"
    );
}

#[test]
fn a_stricter_plan_is_its_own_matter() {
    let line = json!({"term": "x", "estimate": 0.9, "se": 0.4, "n": 2000});
    assert_eq!(verdict(json!({"alpha": 0.01}), &[line]).outcome, Outcome::Unmet);
}
