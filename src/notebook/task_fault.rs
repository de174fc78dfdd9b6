//! Faults of a task that leave the rest of its file usable.

use serde::Serialize;

/// A fault of a task. None tells an answer, a landmark or a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NotebookTaskFault {
    /// `answer` is a text that is no JSON.
    AnswerNotJson,
    /// `answer` decodes to `null`, `false`, 0, or nothing: the published grader gives no score for it.
    AnswerFalsy,
    /// `answer` holds `null` or a truth value, at which the published grader may fail.
    AnswerHoldsUnimplemented,
    /// A pattern cannot be taken.
    Landmark {
        /// Counted from 1.
        place: usize,
        why: String,
    },
    /// The script's name ends in none of `.py`, `.sh` and `.bash`.
    EntryPointNotGraded,
    /// A cell that is to be executed beforehand cannot be read.
    PreCell {
        /// Counted from 1.
        place: usize,
        why: &'static str,
    },
    /// `git_commit` is no 40 hexadecimal digits.
    CommitMalformed,
    /// `github_repo` is no https address.
    RepositoryMalformed,
    /// A column that no published layout has.
    UnknownColumn { name: String },
}

impl NotebookTaskFault {
    /// Whether a run of the task is refused for it.
    pub fn stops_a_run(&self) -> bool {
        matches!(self, Self::PreCell { .. })
    }

    /// Whether the task is less than its file means it to be: an unknown column alone is not.
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Self::UnknownColumn { .. })
    }

    /// The fault as a clause.
    pub fn words(&self) -> String {
        match self {
            Self::AnswerNotJson => "its `answer` is no JSON, so that no answer can be graded".to_owned(),
            Self::AnswerFalsy => {
                "its `answer` is empty, zero, false or null, for which the published grader gives no score"
                    .to_owned()
            }
            Self::AnswerHoldsUnimplemented => {
                "its `answer` holds null or a truth value, at which the published grader may fail".to_owned()
            }
            Self::Landmark { place, why } => format!("landmark {place} cannot be taken: {why}"),
            Self::EntryPointNotGraded => {
                "its `entrypoint` ends in none of .py, .sh and .bash, so that it is not graded".to_owned()
            }
            Self::PreCell { place, why } => format!("pre-executed cell {place} {why}"),
            Self::CommitMalformed => "its `git_commit` is no 40 hexadecimal digits".to_owned(),
            Self::RepositoryMalformed => "its `github_repo` is no https address".to_owned(),
            Self::UnknownColumn { name } => {
                format!("the column `{name}` is in no published layout and is not read")
            }
        }
    }
}
