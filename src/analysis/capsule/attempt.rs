//! One attempt of an agent at a capsule's questions.

use serde::{Deserialize, Serialize};

use crate::capsule::layout::level::Level;
use crate::domain::usage::MicroDollars;

/// One attempt of an agent at a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapsuleAttempt {
    /// The capsule's name.
    pub task: String,
    pub field: String,
    pub language: String,
    pub level: Level,
    pub needs_gpu: bool,
    pub agent: String,
    pub grade: AttemptGrade,
    /// Absent where it is not known; so are those below.
    pub cost: Option<MicroDollars>,
    pub seconds: Option<f64>,
    /// Input and output together.
    pub tokens: Option<u64>,
}

/// The grade of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptGrade {
    /// Each question of the task.
    Graded(Vec<QuestionOutcome>),
    /// Nobody could grade it, such as when the machine failed; with the reason.
    Unscored(String),
}

/// The outcome of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOutcome {
    pub is_about_figure: bool,
    /// Whether the report has an answer to it.
    pub answered: bool,
    pub right: bool,
}

impl CapsuleAttempt {
    /// The questions of a graded attempt.
    pub fn questions(&self) -> Option<&[QuestionOutcome]> {
        match &self.grade {
            AttemptGrade::Graded(questions) => Some(questions),
            AttemptGrade::Unscored(_) => None,
        }
    }

    /// Whether every question is answered right, of which there has to be one; `None` of an
    /// attempt that is not graded.
    pub fn is_solved(&self) -> Option<bool> {
        let questions = self.questions()?;
        Some(!questions.is_empty() && questions.iter().all(|question| question.right))
    }
}
