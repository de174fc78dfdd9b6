//! The jobs of a bench in the clusters that it was submitted to.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;

use super::kubernetes::cluster::{Cluster, ClusterError};
use super::kubernetes::place::KubernetesPlace;
use super::slurm::queue::{Queue, QueuedJob};
use super::submission::{SUBMISSIONS, Submissions, job_label, job_prefix};

/// A cluster that does not answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(String);

/// Asks the clusters for the jobs of a bench; `None` where nothing was ever submitted.
pub async fn queue_of(
    out: &Path,
    submissions: &Submissions,
    now: Timestamp,
) -> Option<Result<Queue, NoAnswer>> {
    if submissions.is_empty() {
        return None;
    }
    Some(asked(out, submissions, now).await)
}

async fn asked(out: &Path, submissions: &Submissions, now: Timestamp) -> Result<Queue, NoAnswer> {
    let mut queue = Queue {
        at: now,
        jobs: Vec::new(),
    };
    if submissions.arrays().any(|array| array.kubernetes.is_none()) {
        let asked = Queue::ask(&out.join(SUBMISSIONS), &job_prefix(out), now).await;
        queue = asked.map_err(|error| NoAnswer(error.to_string()))?;
    }
    let places: BTreeSet<&KubernetesPlace> = submissions
        .arrays()
        .filter_map(|array| array.kubernetes.as_ref())
        .collect();
    for place in places {
        let asked = indices(place, &job_label(out)).await;
        queue
            .jobs
            .extend(asked.map_err(|error| NoAnswer(error.to_string()))?);
    }
    Ok(queue)
}

async fn indices(place: &KubernetesPlace, label: &str) -> Result<Vec<QueuedJob>, ClusterError> {
    Cluster::open(place).await?.queue(label).await
}
