//! The source of a value.

use serde::Serialize;

use crate::domain::stage::Stage;

/// The place of an act in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ActPlace {
    pub stage: Stage,
    /// The model's turn within the stage, counted from 1.
    pub turn: u32,
}

impl ActPlace {
    /// The place in words.
    pub fn words(self) -> String {
        format!("{}, turn {}", self.stage, self.turn)
    }
}

/// The source of a reported value: the first that holds of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum ValueSource {
    /// It has too few digits or words for its place to tell anything.
    TooShort,
    /// It stands in a file that lay there before anything ran.
    LaidThere { path: String, line: usize },
    /// The agent wrote it before anything printed it.
    Written { at: ActPlace },
    /// A command or a file that one wrote showed it.
    Printed { at: ActPlace, line: usize },
    /// Nothing printed it.
    Nowhere,
    /// What was printed is not in the journal.
    Unknown,
}
