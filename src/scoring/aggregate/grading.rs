//! A judge's files, read into items.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

use super::few::FirstLines;
use crate::domain::excerpt;
use crate::scoring::released::json::{Node, overridden};

/// A graded stage, each with a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradedStage {
    Extract,
    Design,
    Execute,
    Interpret,
}

impl GradedStage {
    /// All graded stages, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The name used in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extract => "extract",
            Self::Design => "design",
            Self::Execute => "execute",
            Self::Interpret => "interpret",
        }
    }

    /// The file that the judge writes.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Extract => "extract_llm_eval.json",
            Self::Design => "design_llm_eval.json",
            Self::Execute => "execute_llm_eval.json",
            Self::Interpret => "interpret_llm_eval.json",
        }
    }
}

impl fmt::Display for GradedStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The bytes of one run's gradings by one judge; what is absent was not graded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gradings<'a> {
    pub extract: Option<&'a [u8]>,
    pub design: Option<&'a [u8]>,
    pub execute: Option<&'a [u8]>,
    pub interpret: Option<&'a [u8]>,
    /// The fields that were to be marked, by file, where the writer says.
    pub asked: Option<&'a BTreeMap<String, Vec<String>>>,
}

impl<'a> Gradings<'a> {
    /// The fields that a stage's judge was to mark, where the writer says.
    pub fn asked(&self, stage: GradedStage) -> Option<&'a [String]> {
        Some(self.asked?.get(stage.file_name())?.as_slice())
    }

    /// Sets a stage's file.
    pub fn put(&mut self, stage: GradedStage, bytes: &'a [u8]) {
        *self.slot(stage) = Some(bytes);
    }

    /// Takes a stage's file away.
    pub fn leave_out(&mut self, stage: GradedStage) {
        *self.slot(stage) = None;
    }

    fn slot(&mut self, stage: GradedStage) -> &mut Option<&'a [u8]> {
        match stage {
            GradedStage::Extract => &mut self.extract,
            GradedStage::Design => &mut self.design,
            GradedStage::Execute => &mut self.execute,
            GradedStage::Interpret => &mut self.interpret,
        }
    }

    /// The bytes of a stage's file.
    pub fn get(&self, stage: GradedStage) -> Option<&'a [u8]> {
        match stage {
            GradedStage::Extract => self.extract,
            GradedStage::Design => self.design,
            GradedStage::Execute => self.execute,
            GradedStage::Interpret => self.interpret,
        }
    }
}

/// A judge's mark for one item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    Score(f64),
    /// `NA`, `N/A`, empty, null or missing.
    NotApplicable,
}

/// One item of a flat grading, or one checkpoint of an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Keys from the outermost, such as `["claim.statement"]` or `["environment", "1.1.1"]`.
    pub path: Vec<String>,
    pub mark: Mark,
}

/// The two halves of an execution's grading: key in the file, name in summaries.
pub const EXECUTE_HALVES: [(&str, &str); 2] = [
    ("evaluate_design", "execute_design"),
    ("execute", "execute_execute"),
];

/// A value that stands in a mark's place and is none, as a sentence's end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    #[error("is not an object with a `score`")]
    NoItem,
    #[error("has the score `{0}`")]
    Text(String),
    #[error("has a list as its score")]
    List,
    #[error("has an object as its score")]
    Members,
    #[error("has the score `{0}`, which is no number,")]
    Truth(bool),
}

/// Reads a mark as it stands under `score`.
///
/// # Errors
/// What stands there instead.
pub fn mark(score: Option<&Node<'_>>) -> Result<Mark, MarkError> {
    match score {
        None | Some(Node::Null) => Ok(Mark::NotApplicable),
        Some(Node::Number(number)) => Ok(Mark::Score(*number)),
        Some(Node::Bool(flag)) => Ok(Mark::Score(f64::from(u8::from(*flag)))),
        Some(Node::Text(text)) => match text.trim() {
            "" | "NA" | "N/A" => Ok(Mark::NotApplicable),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Mark::Score(number)),
                _ => Err(MarkError::Text(excerpt::shortened(text, 40))),
            },
        },
        Some(Node::List(_)) => Err(MarkError::List),
        Some(Node::Members(_)) => Err(MarkError::Members),
    }
}

/// Reads a mark as [`mark`] does; a truth value, which the released arithmetic
/// counts as 0 or 1, is none.
///
/// # Errors
/// As of [`mark`].
pub fn number(score: Option<&Node<'_>>) -> Result<Mark, MarkError> {
    match score {
        Some(Node::Bool(flag)) => Err(MarkError::Truth(*flag)),
        other => mark(other),
    }
}

/// The reason why a number is no mark of a scale of whole numbers from 0; `None` of a
/// mark. Halves are medians of an even number of gradings, where the writer says so.
pub fn off_scale(score: f64, highest: u8, has_halves: bool) -> Option<String> {
    let steps = if has_halves { 2.0 * score } else { score };
    if !(0.0..=f64::from(highest)).contains(&score) {
        return Some(match highest {
            1 => "which is neither 0 nor 1".to_owned(),
            _ => format!("outside 0 to {highest}"),
        });
    }
    (steps.fract() != 0.0).then(|| match highest {
        1 => "which is neither 0 nor 1".to_owned(),
        _ => format!("which is no whole number from 0 to {highest}"),
    })
}

/// Names repeated keys, one sentence each; the last of them counts.
pub fn repeated(node: &Node<'_>, file: &str, problems: &mut Vec<String>) {
    let mut few = FirstLines::default();
    find_repeated(node, file, &mut few);
    few.tell(problems, |more| {
        format!("`{file}` has {more} more keys twice in one object.")
    });
}

fn find_repeated(node: &Node<'_>, file: &str, few: &mut FirstLines) {
    match node {
        Node::Members(members) => {
            for at in overridden(members) {
                few.add(|| {
                    format!(
                        "`{file}` has the key `{}` twice in one object; the last one counts.",
                        short(&members[at].0)
                    )
                });
            }
            members
                .iter()
                .for_each(|(_, value)| find_repeated(value, file, few));
        }
        Node::List(items) => items.iter().for_each(|item| find_repeated(item, file, few)),
        _ => {}
    }
}

/// A key as a message shows it.
pub fn short(key: &str) -> String {
    excerpt::fitted(key, 80)
}
