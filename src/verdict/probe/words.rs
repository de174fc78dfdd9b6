//! A result in few words.

use crate::domain::finding::Finding;

/// Estimate and standard error, or what there is in their place.
pub fn words(finding: &Finding) -> String {
    let mut parts = Vec::new();
    if let Some(estimate) = finding.estimate {
        parts.push(format!("estimate {estimate}"));
    }
    if let Some(error) = finding.standard_error {
        parts.push(format!("SE {error}"));
    }
    if let Some(statistic) = finding.statistic.as_ref().filter(|_| parts.len() < 2) {
        parts.push(statistic.to_string());
    }
    if let Some(p_value) = finding.p_value.filter(|_| parts.len() < 2) {
        parts.push(format!("p {p_value}"));
    }
    if parts.is_empty() {
        "no number".to_owned()
    } else {
        parts.join(", ")
    }
}
