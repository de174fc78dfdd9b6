//! The jobs of a bench in the cluster that it was submitted to.

use std::path::Path;

use jiff::Timestamp;

use super::slurm::client::SlurmError;
use super::slurm::queue::Queue;
use super::submission::{SUBMISSIONS, Submissions, job_prefix};

/// Asks the cluster for the jobs of a bench; `None` if nothing was ever submitted.
pub async fn queue_of(
    out: &Path,
    submissions: &Submissions,
    now: Timestamp,
) -> Option<Result<Queue, SlurmError>> {
    match submissions.is_empty() {
        true => None,
        false => Some(Queue::ask(&out.join(SUBMISSIONS), &job_prefix(out), now).await),
    }
}
