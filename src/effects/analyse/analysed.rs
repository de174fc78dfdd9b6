//! The outcome of a call of `run_analysis`.

use crate::policy::limits::Reached;
use crate::tools::contract::Observation;

/// The outcome of a call of `run_analysis`.
pub enum Analysed {
    Observed(Observation),
    /// Whoever asked waits no longer: what was under way was ended, and leaves nothing.
    Left(Observation),
    Parked,
    Interrupted,
    /// The time that the run may take is up; nothing of what was under way stays.
    OutOfTime(Reached),
    /// The execution was refused without advice: the stage ends.
    Cancelled(String),
}
