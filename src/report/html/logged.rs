//! Ratios on a forest plot's axis: as logarithms, on which no effect is zero.

use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::report::view::{Findings, View};
use crate::verdict::additive::additive;

/// The findings as the axis takes them.
#[derive(Debug, Clone, PartialEq)]
pub struct OnAxis {
    pub findings: Findings,
    /// True if the focal numbers are logarithms of ratios.
    pub is_logged: bool,
}

impl OnAxis {
    /// The findings of a view with their ratios logged. A number whose scale nobody
    /// recorded is on the plan's, or on that of the study that it stands beside.
    pub fn from_view(view: &View) -> Self {
        let findings = &view.findings;
        let scale_of = |finding: &Option<Finding>| finding.as_ref().and_then(|finding| finding.scale);
        let planned = view
            .verdict
            .criterion
            .as_ref()
            .and_then(|criterion| criterion.scale);
        let beside = planned
            .or_else(|| scale_of(&findings.replication))
            .or_else(|| scale_of(&findings.original));
        let is_ratio = |finding: &Finding| finding.scale.or(beside) == Some(Scale::Ratio);
        let moved = |finding: &Finding| match is_ratio(finding) {
            true => logged(finding),
            false => finding.clone(),
        };
        Self {
            is_logged: findings
                .replication
                .iter()
                .chain(&findings.original)
                .any(is_ratio),
            findings: Findings {
                original: findings.original.as_ref().map(moved),
                replication: findings.replication.as_ref().map(moved),
                others: findings.others.iter().map(moved).collect(),
                ..findings.clone()
            },
        }
    }
}

/// The logarithm; a ratio that is not above zero has no place.
fn logged(finding: &Finding) -> Finding {
    additive(finding, Scale::Ratio, None).unwrap_or_else(|_| Finding {
        estimate: None,
        interval: None,
        ..finding.clone()
    })
}
