//! The criterion of a study on the original's own observations: its numbers come out again.

use super::assessment::Assessment;
use super::study::{StudyEstimate, StudyPair};
use crate::domain::finding::Finding;
use crate::domain::quantity::Quantity;
use crate::domain::rule::Rule;
use crate::domain::study_kind::Observations;
use crate::verdict::numerical_agreement::{Agreement, QuantityAgreement, ResultAgreement, overall};

/// Why a criterion is not computed on the original's own observations.
pub const SAME_OBSERVATIONS: &str = "– same observations";

/// The agreement of the two estimates alone.
pub fn numerical_agreement(pair: &StudyPair) -> Assessment {
    let finding = |study: &StudyEstimate| Finding {
        estimate: Some(study.estimate),
        ..Finding::default()
    };
    numerical_agreement_of(&finding(&pair.original), &finding(&pair.replication), &[])
}

/// Met if the estimate and each quantity that is named agree precisely or approximately,
/// not met if one does not, and open if one is missing.
pub fn numerical_agreement_of(original: &Finding, found: &Finding, named: &[Quantity]) -> Assessment {
    let rule = Rule::NumericalAgreement;
    let others = named.iter().filter(|one| **one != Quantity::Estimate);
    let named: Vec<Quantity> = [Quantity::Estimate].iter().chain(others).copied().collect();
    let all = ResultAgreement::compare(original, found);
    let of = |quantity: &Quantity| all.as_ref().and_then(|all| all.of(*quantity));
    let missing: Vec<&str> = named
        .iter()
        .filter(|one| of(one).is_none())
        .map(|one| one.name())
        .collect();
    let worst = overall(named.iter().filter_map(of));
    let decision = match worst {
        Some(Agreement::Not) => Some(false),
        Some(_) if missing.is_empty() => Some(true),
        _ => None,
    };
    let compared = all.as_ref().map_or_else(String::new, ResultAgreement::clause);
    let sentence = if missing.is_empty() || decision.is_some() {
        format!("Against the published numbers: {compared}.")
    } else {
        format!(
            "Not given on both sides, so that it cannot be compared: {}. {compared}",
            missing.join(", ")
        )
    };
    Assessment {
        value: found.estimate.filter(|estimate| estimate.is_finite()),
        decision,
        ..Assessment::undecided(rule, sentence.trim_end())
    }
}

/// Every quantity of both sides; none unless the observations are the original's.
pub fn quantities(
    original: &Finding,
    found: &Finding,
    observations: Option<Observations>,
) -> Vec<QuantityAgreement> {
    if observations != Some(Observations::Same) {
        return Vec::new();
    }
    ResultAgreement::compare(original, found).map_or_else(Vec::new, |all| all.quantities)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};

    fn finding(estimate: f64, p: Option<f64>) -> Finding {
        Finding {
            estimate: Some(estimate),
            p_value: p.map(|value| PValue {
                relation: Relation::Equal,
                value,
            }),
            n: Some(3010),
            ..Finding::default()
        }
    }

    #[test]
    fn the_named_quantities_decide() {
        let decide = |found: &Finding, named: &[Quantity]| {
            numerical_agreement_of(&finding(0.132, Some(0.016)), found, named).decision
        };
        let [estimate, p, n] = [Quantity::Estimate, Quantity::PValue, Quantity::SampleSize];
        assert_eq!(decide(&finding(0.1315, Some(0.9)), &[]), Some(true));
        assert_eq!(decide(&finding(0.1315, Some(0.9)), &[estimate, p]), Some(false));
        assert_eq!(decide(&finding(0.0747, Some(0.016)), &[]), Some(false));
        // A plan that names only what agrees anyway names the estimate all the same.
        assert_eq!(decide(&finding(0.0747, Some(0.016)), &[p, n]), Some(false));
        assert_eq!(decide(&finding(0.1315, Some(0.016)), &[p, n]), Some(true));
        assert_eq!(decide(&finding(0.1315, None), &[estimate, p]), None);
        // What does not agree decides, whatever is missing.
        assert_eq!(decide(&finding(0.0747, None), &[estimate, p]), Some(false));
    }

    #[test]
    fn sign_and_side_are_next_to_it() {
        let found = numerical_agreement_of(&finding(0.132, Some(0.016)), &finding(-0.132, Some(0.2)), &[]);
        assert_eq!(found.decision, Some(false));
        assert!(
            found.sentence.ends_with("opposite sign; other side of .05."),
            "{}",
            found.sentence
        );
        let missing = numerical_agreement_of(
            &finding(0.132, None),
            &finding(0.132, None),
            &[Quantity::Interval],
        );
        assert!(
            missing.decision.is_none()
                && missing.sentence.starts_with(
                    "Not given on both sides, so that it cannot be compared: interval. estimate 0.132"
                ),
            "{}",
            missing.sentence
        );
    }
}
