//! The choice of a lock: one that was made before, or the run's own of a day.

use std::path::PathBuf;
use std::str::FromStr;

use jiff::civil::Date;

/// The word for the date that the task's own files tell.
const EVIDENCE: &str = "evidence";

/// The lock that a run is held to; none if nothing is chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockChoice {
    /// A file that `reprise env DIR --lock FILE` made.
    pub file: Option<PathBuf>,
    /// The day of which the run makes a lock itself.
    pub as_of: Option<AsOfChoice>,
}

/// The day of which environments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsOfChoice {
    Day(Date),
    /// The date that the task's own files tell.
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
