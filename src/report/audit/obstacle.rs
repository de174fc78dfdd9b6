//! An obstacle on the way to a result.

use serde::{Serialize, Serializer};

use super::source::ActPlace;
use crate::domain::failure::FailureCause;

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Obstacle {
    pub at: ActPlace,
    /// `build`, `execution`, `command`, or of a notebook `cell` or the name of another act.
    pub what: &'static str,
    /// Absent of a command in a shell, whose exit status is all that is known.
    #[serde(serialize_with = "by_name")]
    pub cause: Option<FailureCause>,
    /// The author of the code that failed, where it is known.
    #[serde(skip)]
    pub script: Option<ScriptAuthor>,
    /// One sentence.
    pub detail: String,
}

/// The author of the code that a command could reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptAuthor {
    /// All of it lay there, and nobody changed it.
    Original,
    /// Some lay there, and some is the agent's.
    Both,
    Agent,
}

fn by_name<S: Serializer>(cause: &Option<FailureCause>, serializer: S) -> Result<S::Ok, S::Error> {
    cause.map(FailureCause::name).serialize(serializer)
}
