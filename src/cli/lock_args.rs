//! The lock that a run is held to: one that was made before, or the run's own of a day.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::environment::date;
use crate::environment::dated::DatedNeeds;
use crate::environment::lock::EnvironmentLock;
use crate::environment::survey::survey;

use super::exit::Failure;
use super::lock_file;

/// The word for the date that the task's own files tell.
const EVIDENCE: &str = "evidence";

/// The choice of a lock.
#[derive(Debug, Clone, Args)]
pub struct LockArgs {
    /// A lock that `reprise env DIR --lock FILE` made: packages come in its versions, and no others
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    lock: Option<PathBuf>,
    /// Take packages and interpreters of a day, such as 2019-06-30, or of the date that the task's own files tell
    /// (`evidence`): the run asks the indexes itself, and keeps the lock
    #[arg(
        long,
        value_name = "DATE|evidence",
        conflicts_with = "lock",
        help_heading = "Execution"
    )]
    as_of: Option<AsOfChoice>,
}

/// The day of which environments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AsOfChoice {
    Day(Date),
    Evidence,
}

/// Something that is no day.
#[derive(Debug, thiserror::Error)]
#[error("a day such as 2019-06-30, or `{EVIDENCE}` for the date that the task's own files tell, is expected")]
pub struct NoDay;

impl FromStr for AsOfChoice {
    type Err = NoDay;

    fn from_str(text: &str) -> Result<Self, NoDay> {
        match text {
            EVIDENCE => Ok(Self::Evidence),
            day => day.parse().map(Self::Day).map_err(|_| NoDay),
        }
    }
}

impl LockArgs {
    /// The lock that was made before.
    ///
    /// # Errors
    /// A file that is no lock, or one of another platform.
    pub fn given(&self) -> Result<Option<Box<EnvironmentLock>>, Failure> {
        let lock = self.lock.as_deref().map(lock_file::of_this_machine).transpose()?;
        Ok(lock.map(Box::new))
    }

    /// Whether the run makes its lock itself, of a day.
    pub fn is_of_a_day(&self) -> bool {
        self.as_of.is_some()
    }

    /// What a task's folder tells of its time, where the run makes its lock itself; `name` is the folder's for
    /// messages.
    ///
    /// # Errors
    /// A folder that cannot be read, or whose files tell no date where theirs was asked for.
    pub fn dated(&self, folder: &Path, name: &str) -> Result<Option<Box<DatedNeeds>>, Failure> {
        let told = match self.as_of {
            None => return Ok(None),
            Some(AsOfChoice::Day(day)) => Some(day),
            Some(AsOfChoice::Evidence) => None,
        };
        if let Some(day) = told {
            refuse_to_come(day)?;
        }
        let found = survey(folder, told).map_err(|error| Failure::usage(error.to_string()))?;
        let is_pinned = !found.pinned_python().is_empty();
        let dated = DatedNeeds::of(found, name);
        let ways = match is_pinned {
            true => {
                ", or make a lock with `reprise env --lock`, which asks the index when the versions came that the files give"
            }
            false => "",
        };
        let dated =
            dated.map_err(|why| Failure::usage(format!("{why}: say it with `--as-of DATE`{ways}")))?;
        Ok(Some(Box::new(dated)))
    }
}

/// Refuses a day that is nowhere on earth today or past.
///
/// # Errors
/// A day to come.
pub fn refuse_to_come(day: Date) -> Result<(), Failure> {
    match date::is_to_come(day, Timestamp::now()) {
        true => Err(Failure::usage(format!(
            "--as-of {day} is a day to come, of which no index can say anything: name a day up to today"
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_or_the_evidence_is_taken_and_nothing_else() {
        let day: AsOfChoice = "2019-06-30".parse().unwrap();
        assert_eq!(day, AsOfChoice::Day("2019-06-30".parse().unwrap()));
        assert_eq!("evidence".parse::<AsOfChoice>().unwrap(), AsOfChoice::Evidence);
        for other in ["", "yesterday", "30.6.2019", "2019-02-30"] {
            assert!(other.parse::<AsOfChoice>().is_err(), "{other}");
        }
    }
}
