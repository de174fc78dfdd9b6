//! The replication Bayes factor.

use super::assessment::{Assessment, number};
use super::study::Pair;
use crate::domain::rule::Rule;

/// The replication's likelihood under the original's posterior over that under
/// no effect: above the threshold (3 unless another was fixed) it meets the
/// criterion, below its inverse it does not.
///
/// `N(r; o, SEo² + SEr²) / N(r; 0, SEr²)`, the original's posterior under a flat
/// prior. Values beyond the range of a double are given as the range's end.
pub fn replication_bayes_factor(pair: &Pair) -> Assessment {
    let (original, replication) = (&pair.original, &pair.replication);
    let spread = pair.difference_error();
    let distance = (replication.estimate - original.estimate) / spread;
    let log = (replication.standard_error / spread).ln() + 0.5 * (replication.z().powi(2) - distance.powi(2));
    if log.is_nan() {
        return Assessment::undecided(
            Rule::ReplicationBayesFactor,
            "The studies' z-values are too extreme for the replication Bayes factor.",
        );
    }
    let factor = log.exp().clamp(f64::MIN_POSITIVE, f64::MAX);
    let threshold = pair.terms.bayes_factor;
    let (decision, words) = if factor > threshold {
        (Some(true), "favours the original effect over no effect")
    } else if factor < 1.0 / threshold {
        (Some(false), "favours no effect over the original effect")
    } else {
        (None, "does not tell the original effect from no effect")
    };
    Assessment {
        rule: Rule::ReplicationBayesFactor,
        value: Some(factor),
        interval: None,
        decision,
        sentence: format!("The replication Bayes factor is {} and {words}.", number(factor)),
    }
}
