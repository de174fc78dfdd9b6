//! The view of a bench's cells, with the jobs of the cluster that it was submitted to.

use std::path::Path;

use jiff::Timestamp;

use super::slurm::queue::Queue;
use super::standing::BenchSight;
use super::submission::{SUBMISSIONS, Submissions, job_prefix};
use crate::cli::exit::Failure;

impl<'a> BenchSight<'a> {
    /// Reads what was submitted of a bench, and asks the cluster for its jobs if anything was.
    ///
    /// # Errors
    /// Submissions that cannot be read.
    pub async fn of(out: &'a Path) -> Result<Self, Failure> {
        let submissions = Submissions::read(out)?;
        let now = Timestamp::now();
        let queue = match submissions.is_empty() {
            true => None,
            false => Some(Queue::ask(&out.join(SUBMISSIONS), &job_prefix(out), now).await),
        };
        Ok(Self {
            out,
            submissions,
            queue,
            now,
        })
    }
}
