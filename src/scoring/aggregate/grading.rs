//! A judge's files, read into items.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

use super::json::{Node, overridden};

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
}

impl<'a> Gradings<'a> {
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
    pub fn of(&self, stage: GradedStage) -> Option<&'a [u8]> {
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

/// Reads a mark as it stands under `score`.
///
/// # Errors
/// A sentence's end that says what stands there instead.
pub fn mark(score: Option<&Node<'_>>) -> Result<Mark, String> {
    match score {
        None | Some(Node::Null) => Ok(Mark::NotApplicable),
        Some(Node::Number(number)) => Ok(Mark::Score(*number)),
        Some(Node::Bool(flag)) => Ok(Mark::Score(f64::from(u8::from(*flag)))),
        Some(Node::Text(text)) => match text.trim() {
            "" | "NA" | "N/A" => Ok(Mark::NotApplicable),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Mark::Score(number)),
                _ => Err(format!(
                    "has the score `{}`",
                    text.chars().take(40).collect::<String>()
                )),
            },
        },
        Some(Node::List(_)) => Err("has a list as its score".to_owned()),
        Some(Node::Members(_)) => Err("has an object as its score".to_owned()),
    }
}

/// Names repeated keys, one sentence each; the last of them counts.
pub fn repeated(node: &Node<'_>, file: &str, problems: &mut Vec<String>) {
    match node {
        Node::Members(members) => {
            for at in overridden(members) {
                problems.push(format!(
                    "`{file}` has the key `{}` twice in one object; the last one counts.",
                    short(&members[at].0)
                ));
            }
            members
                .iter()
                .for_each(|(_, value)| repeated(value, file, problems));
        }
        Node::List(items) => items.iter().for_each(|item| repeated(item, file, problems)),
        _ => {}
    }
}

/// The members of an object without those that a later one overrides.
pub fn distinct<'n, 'a>(
    members: &'n [(Cow<'a, str>, Node<'a>)],
) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    let gone: HashSet<usize> = overridden(members).into_iter().collect();
    let kept = members
        .iter()
        .enumerate()
        .filter(move |(at, _)| !gone.contains(at));
    kept.map(|(_, (key, value))| (&**key, value))
}

/// A key as a message shows it.
pub fn short(key: &str) -> String {
    if key.chars().count() <= 80 {
        return key.to_owned();
    }
    let start: String = key.chars().take(77).collect();
    format!("{start}...")
}
