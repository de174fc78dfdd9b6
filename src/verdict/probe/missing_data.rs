//! Results that appear although the data are gone.

use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeKind, ProbeRun};

use super::case::runs_of_kind;

/// The focal result that appeared although the data were gone.
pub fn appears_without(runs: &[ProbeRun]) -> Option<&Finding> {
    runs_of_kind(runs, ProbeKind::Without)
        .filter(|run| run.ran())
        .filter_map(|run| run.focal.as_ref())
        .find(|finding| is_result(finding))
}

/// Whether there is more to it than a name.
pub fn is_result(finding: &Finding) -> bool {
    finding.estimate.is_some()
        || finding.statistic.is_some()
        || finding.p_value.is_some()
        || finding.interval.is_some()
}
