//! What a call of `run_analysis` came to.

use crate::policy::limits::Reached;
use crate::tools::contract::Observation;

/// What a call of `run_analysis` came to.
pub enum Analysed {
    Observed(Observation),
    Parked,
    Interrupted,
    /// The time that the run may take is up; nothing of what was under way stays.
    OutOfTime(Reached),
    /// The execution was refused without advice: the stage ends.
    Cancelled(String),
}
