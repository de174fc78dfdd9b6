//! The original's focal finding: as the study publishes it, else as it was extracted.

use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::extraction::{claimed_result, holds_claim};
use crate::domain::finding::Finding;
use crate::study::reference::Original;

/// The original's focal finding: the figures of `study.toml`, else the first result of the
/// extraction that holds a figure of the claim, else its first. One source gives all of it.
pub fn original(
    registered: Option<&PostRegistration>,
    published: Option<&Original>,
    claim: &str,
) -> Option<Finding> {
    match published {
        Some(published) => Some(published.finding()),
        None => claimed_result(claim, registered?),
    }
}

/// Whether the original's figures are those of the claim: published by the study, or of an
/// extracted result that holds a figure of it.
pub fn is_of_claim(registered: Option<&PostRegistration>, published: Option<&Original>, claim: &str) -> bool {
    let extracted = || {
        let results = &registered?.original_study.results.numerical_results;
        Some(results.is_empty() || results.iter().any(|result| holds_claim(claim, result)))
    };
    published.is_some() || extracted().unwrap_or(true)
}

/// A sentence on an extraction whose first estimate is not the published one.
pub fn unused_extraction(
    registered: Option<&PostRegistration>,
    published: Option<&Original>,
) -> Option<String> {
    let (published, registered) = (published?, registered?);
    let extracted = registered.original_findings().into_iter().next()?;
    let why = match extracted.estimate {
        Some(estimate) if is_same(estimate, published.estimate) => return None,
        Some(estimate) => format!("the run extracted {estimate}, which is another estimate"),
        None => "the run extracted a finding without an estimate".to_owned(),
    };
    Some(format!(
        "The criteria are computed from the figures of `[original]` in study.toml ({} {}), and {why}.",
        published.term, published.estimate
    ))
}

/// Equal but for rounding.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 0.005 * other.abs()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CLAIM: &str = "Height attracts gulls (b = 1.52, SE = 0.4).";

    fn registered(results: serde_json::Value) -> PostRegistration {
        serde_json::from_value(json!({"original_study": {
            "claim": {}, "data": {}, "method": {}, "results": {"numerical_results": results}
        }}))
        .unwrap()
    }

    fn result(name: &str, value: f64) -> serde_json::Value {
        json!({"outcome_name": name, "value": value, "n": 90, "p_value": 0.01})
    }

    #[test]
    fn one_source_gives_all_of_it() {
        let published: Original = serde_json::from_value(
            json!({"term": "height", "estimate": 1.52, "standard_error": 0.4, "n": 80}),
        )
        .unwrap();
        let run = registered(json!([result("height", 1.52)]));
        let found = original(Some(&run), Some(&published), CLAIM).unwrap();
        // The extraction's p and n are of another source.
        assert_eq!(
            (found.n, found.p_value, found.standard_error),
            (Some(80), None, Some(0.4))
        );
        assert_eq!(original(Some(&run), None, CLAIM).unwrap().n, Some(90));
        assert_eq!(original(None, None, CLAIM), None);
    }

    #[test]
    fn the_result_of_the_claim_is_the_original() {
        let run = registered(json!([result("mean of a cell", 30.0), result("height", 1.52)]));
        assert_eq!(original(Some(&run), None, CLAIM).unwrap().estimate, Some(1.52));
        assert!(is_of_claim(Some(&run), None, CLAIM));
        let other = registered(json!([result("mean of a cell", 30.0)]));
        assert_eq!(original(Some(&other), None, CLAIM).unwrap().estimate, Some(30.0));
        assert!(!is_of_claim(Some(&other), None, CLAIM));
        assert!(is_of_claim(Some(&other), None, "Height attracts gulls."));
    }
}
