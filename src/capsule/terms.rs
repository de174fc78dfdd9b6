//! The terms of an attempt at a capsule.

use serde::{Deserialize, Serialize};

use super::layout::level::{Layout, Level};
use super::task_file::CapsuleId;

/// The track of capsules.
pub const TRACK: &str = "capsule";

/// The task and the level of an attempt, as the first event of its run holds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapsuleTerms {
    /// The name of the task file, in the folder of the task.
    pub tasks: String,
    pub id: CapsuleId,
    pub level: Level,
    pub layout: Layout,
    pub field: String,
    pub language: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_gpu: bool,
    /// The agent of this program that attempts it; absent where our own loop or a program of others does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The questions, in the order of the task file.
    pub questions: Vec<String>,
}
