//! Grades of capsules: the graders, their tallies, and what they raise.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::value::PythonValue;

/// A published grader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraderName {
    Original,
    Hal,
    #[serde(rename = "v1.1")]
    V11,
    #[serde(rename = "v1.1-regrade")]
    V11Regrade,
    Inspect,
}

impl GraderName {
    /// Every published grader.
    pub const ALL: [Self; 5] = [
        Self::Original,
        Self::Hal,
        Self::V11,
        Self::V11Regrade,
        Self::Inspect,
    ];

    /// The name as it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Hal => "hal",
            Self::V11 => "v1.1",
            Self::V11Regrade => "v1.1-regrade",
            Self::Inspect => "inspect",
        }
    }
}

impl fmt::Display for GraderName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// A name that no grader has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no grader: choose original, hal, v1.1, v1.1-regrade or inspect")]
pub struct UnknownGrader(String);

impl FromStr for GraderName {
    type Err = UnknownGrader;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|grader| grader.word() == text);
        found.ok_or_else(|| UnknownGrader(text.chars().take(50).collect()))
    }
}

/// The questions of a task and those that were answered right, written ones and those about
/// figures apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tallies {
    pub correct_written_answers: u32,
    pub correct_vision_answers: u32,
    pub total_written_questions: u32,
    pub total_vision_questions: u32,
}

impl Tallies {
    /// The questions of a task, none of them answered. What is neither number, list nor text in
    /// the first gold run is no question.
    pub(super) fn of_questions<'a>(gold: impl IntoIterator<Item = (&'a String, &'a PythonValue)>) -> Self {
        let mut tallies = Self::default();
        for (question, answer) in gold {
            let counts = answer.is_number() || matches!(answer, PythonValue::List(_) | PythonValue::Text(_));
            match (counts, is_about_figure(question)) {
                (false, _) => {}
                (true, true) => tallies.total_vision_questions += 1,
                (true, false) => tallies.total_written_questions += 1,
            }
        }
        tallies
    }

    pub(super) fn count_correct(&mut self, question: &str) {
        match is_about_figure(question) {
            true => self.correct_vision_answers += 1,
            false => self.correct_written_answers += 1,
        }
    }

    /// Whether all questions of a task are answered right. A task without questions is solved
    /// for all graders but HAL's.
    pub fn solves(&self, grader: GraderName) -> bool {
        let questions = self.total_written_questions + self.total_vision_questions;
        self.correct_written_answers == self.total_written_questions
            && self.correct_vision_answers == self.total_vision_questions
            && (questions > 0 || grader != GraderName::Hal)
    }
}

/// Whether a question is about a figure: graders look for this part of a word.
pub fn is_about_figure(question: &str) -> bool {
    question.contains("fig")
}

/// Further answers that v1.1 takes for right, by the task's id and the question. Its tables are
/// no part of this program: they hold answers of the test set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Aliases {
    /// Texts that take the place of the gold text.
    pub texts: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Lists whose items count in any order and case.
    pub lists: BTreeMap<String, BTreeMap<String, Vec<String>>>,
}

/// Something that a grader raises in the place of a grade.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotGrade {
    #[error("the gold of a task is {0}, where a list of runs stands, each with answers by question")]
    Gold(&'static str),
    #[error("inspect raises TypeError: a gold run holds no number for `{0}`, where the first one does")]
    Type(String),
    #[error("inspect raises OverflowError: the number reported for `{0}` is too large for a float")]
    Overflow(String),
}
