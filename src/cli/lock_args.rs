//! The lock that a run is held to: one that was made before, or the run's own of a day.

use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::engine::choice::lock::{AsOfChoice, LockChoice};
use crate::environment::date;
use crate::environment::dated::DatedNeeds;
use crate::environment::lock::EnvironmentLock;
use crate::environment::survey::survey;

use super::exit::Failure;
use super::lock_file;

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

impl LockArgs {
    /// The lock as it was typed.
    pub fn choice(self) -> LockChoice {
        LockChoice {
            file: self.lock,
            as_of: self.as_of,
        }
    }
}

/// The lock that was made before.
///
/// # Errors
/// A file that is no lock, or one of another platform.
pub fn given(choice: &LockChoice) -> Result<Option<Box<EnvironmentLock>>, Failure> {
    let lock = choice
        .file
        .as_deref()
        .map(lock_file::of_this_machine)
        .transpose()?;
    Ok(lock.map(Box::new))
}

/// What a task's folder tells of its time, where the run makes its lock itself; `name` is the folder's for
/// messages.
///
/// # Errors
/// A folder that cannot be read, or whose files tell no date where theirs was asked for.
pub fn dated(choice: &LockChoice, folder: &Path, name: &str) -> Result<Option<Box<DatedNeeds>>, Failure> {
    let told = match choice.as_of {
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
    let dated = dated.map_err(|why| Failure::usage(format!("{why}: say it with `--as-of DATE`{ways}")))?;
    Ok(Some(Box::new(dated)))
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
