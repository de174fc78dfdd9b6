//! The jobs that Slurm knows, asked for in one call for all of them.

use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};

use super::client::{SlurmError, call};
use crate::engine::atomic_file;

/// The file of the last answer, in the folder of submissions.
const KEPT: &str = "queue.json";
/// The least time between two questions.
const PAUSE: SignedDuration = SignedDuration::from_secs(10);
/// The largest answer that is kept, in bytes.
const LONGEST: u64 = 64 << 20;

/// The jobs of a bench, as Slurm knew them at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    pub at: Timestamp,
    pub jobs: Vec<QueuedJob>,
}

/// A job, or a task of an array of jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedJob {
    /// As Slurm writes it, such as `12_3`.
    pub id: String,
    pub name: String,
    pub state: String,
    /// Why it waits, or ended.
    pub reason: String,
}

impl Queue {
    /// Asks for the jobs whose names begin with `name`, unless that was asked in the last ten seconds;
    /// `folder` keeps the answer.
    ///
    /// # Errors
    /// A `squeue` that does not answer.
    pub async fn ask(folder: &Path, name: &str, now: Timestamp) -> Result<Self, SlurmError> {
        if let Some(kept) = kept(folder).filter(|kept| kept.is_fresh(now)) {
            return Ok(kept);
        }
        let arguments = [
            "--noheader".to_owned(),
            "--array".to_owned(),
            "--states=all".to_owned(),
            format!("--user={}", geteuid()),
            "--format=%i|%T|%r|%j".to_owned(),
        ];
        let text = call("squeue", &arguments).await?;
        let queue = Self {
            at: now,
            jobs: parse(&text, name),
        };
        // Where it cannot be kept, it is asked again.
        if let Ok(text) = serde_json::to_vec(&queue) {
            let _asked_again = atomic_file::replace(&folder.join(KEPT), &text, folder);
        }
        Ok(queue)
    }

    /// Forgets the last answer, since jobs were handed over or cancelled.
    pub fn forget(folder: &Path) {
        let _it_grows_old = fs::remove_file(folder.join(KEPT));
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        let age = now.duration_since(self.at);
        age < PAUSE && age > -PAUSE
    }

    /// The task of an array by the array's name: one that stands for itself before one among many, and one
    /// that is alive before one that is over.
    pub fn task(&self, name: &str, index: usize) -> Option<&QueuedJob> {
        let own = self.jobs.iter().filter(|job| job.name == name && job.has(index));
        own.max_by_key(|job| (!job.is_of_many(), job.is_alive()))
    }
}

impl QueuedJob {
    /// Whether it waits or works, or will again. A state that is not known is one of these.
    pub fn is_alive(&self) -> bool {
        const OVER: [&str; 10] = [
            "BOOT_FAIL",
            "CANCELLED",
            "COMPLETED",
            "DEADLINE",
            "FAILED",
            "NODE_FAIL",
            "OUT_OF_MEMORY",
            "PREEMPTED",
            "REVOKED",
            "TIMEOUT",
        ];
        !OVER.contains(&self.state.as_str())
    }

    /// Whether it is at work.
    pub fn is_running(&self) -> bool {
        matches!(self.state.as_str(), "RUNNING" | "COMPLETING")
    }

    /// Whether it stands for tasks that wait together, as `12_[2-9]`.
    fn is_of_many(&self) -> bool {
        self.id.contains('[')
    }

    /// Whether a task of an array is it, or may be among those that it stands for.
    fn has(&self, index: usize) -> bool {
        match self.id.split_once('_') {
            Some((_, task)) => self.is_of_many() || task.parse() == Ok(index),
            None => true,
        }
    }
}

/// The jobs of an answer whose names begin with `name`. A name of somebody else's may hold anything.
fn parse(text: &str, name: &str) -> Vec<QueuedJob> {
    let job = |line: &str| {
        let mut parts = line.trim().splitn(4, '|');
        Some(QueuedJob {
            id: parts.next()?.to_owned(),
            state: parts.next()?.to_owned(),
            reason: parts.next()?.to_owned(),
            name: parts.next()?.to_owned(),
        })
    };
    let jobs = text.lines().filter_map(job);
    jobs.filter(|job| job.name.starts_with(name)).collect()
}

fn kept(folder: &Path) -> Option<Queue> {
    let path = folder.join(KEPT);
    if fs::metadata(&path).ok()?.len() > LONGEST {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_found_by_the_name_of_their_array() {
        let text = "12_0|COMPLETED|None|reprise-ab-1-1\n12_1|RUNNING|None|reprise-ab-1-1\n\
                    12_[2-9%4]|PENDING|JobArrayTaskLimit|reprise-ab-1-1\n\
                    13|RUNNING|None|other|reprise-ab-1-1\n14_1|PENDING|None|reprise-ac-1-1\nnonsense\n|||\n";
        let queue = Queue {
            at: Timestamp::UNIX_EPOCH,
            jobs: parse(text, "reprise-ab-"),
        };
        assert_eq!(queue.jobs.len(), 3);
        let state = |index| queue.task("reprise-ab-1-1", index).map(|job| job.state.as_str());
        assert_eq!(
            (state(0), state(1), state(7)),
            (Some("COMPLETED"), Some("RUNNING"), Some("PENDING"))
        );
        assert_eq!(queue.task("reprise-ab-1-2", 0), None);
        assert!(queue.task("reprise-ab-1-1", 1).unwrap().is_running());
    }

    #[test]
    fn a_state_that_is_not_known_is_alive() {
        let job = |state: &str| QueuedJob {
            id: "1".to_owned(),
            name: String::new(),
            state: state.to_owned(),
            reason: String::new(),
        };
        for state in ["PENDING", "REQUEUED", "SUSPENDED", "SPECIAL_EXIT", "NOVEL"] {
            assert!(job(state).is_alive(), "{state}");
        }
        for state in ["COMPLETED", "TIMEOUT", "NODE_FAIL"] {
            assert!(!job(state).is_alive(), "{state}");
        }
    }

    #[test]
    fn an_answer_is_kept_for_ten_seconds() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(kept(folder.path()), None);
        let at = Timestamp::UNIX_EPOCH;
        let queue = Queue { at, jobs: Vec::new() };
        fs::write(folder.path().join(KEPT), serde_json::to_vec(&queue).unwrap()).unwrap();
        let kept = kept(folder.path()).unwrap();
        let after = |seconds| at.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        assert!(kept.is_fresh(after(9)) && !kept.is_fresh(after(10)) && !kept.is_fresh(after(-3600)));
    }
}
