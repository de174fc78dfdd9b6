//! Reasons for which two runs cannot be compared, or for which nobody knows whether they can.

use serde::{Deserialize, Serialize};

use super::used::DataFile;
use crate::domain::workspace_path::WorkspacePath;

/// One of the two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    First,
    Second,
}

impl Which {
    /// The one of a pair that is meant.
    pub fn pick<T>(self, [first, second]: &[T; 2]) -> &T {
        match self {
            Self::First => first,
            Self::Second => second,
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// The comparability of two runs' numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparability {
    Comparable,
    NotComparable,
    /// Nothing speaks against it, and something that would is not known.
    Unknown,
}

impl Comparability {
    pub fn words(self) -> &'static str {
        match self {
            Self::Comparable => "comparable",
            Self::NotComparable => "not comparable",
            Self::Unknown => "not known to be comparable",
        }
    }
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// A run opened data that the other did not.
    OtherData { run: Which, files: Vec<DataFile> },
    /// The workspaces were given other data, and a file among them was opened.
    OtherContent { files: Vec<WorkspacePath> },
    /// N differs.
    OtherN {
        finding: String,
        focal: bool,
        first: u64,
        second: u64,
    },
    /// The verdicts were applied to different terms.
    OtherFocal { first: String, second: String },
    /// The record of opened files has gaps.
    IncompleteRecord { run: Which },
    /// No execution of the run succeeded.
    NothingRan { run: Which },
    /// Neither run is on record as opening any data.
    NoDataSeen,
    /// The verdict of the run was applied to no finding.
    NoFocal { run: Which },
    /// A run does not give the focal finding's N.
    NoN { run: Which },
    /// No finding of one run could be told to be one of the other's.
    NothingPaired,
}

impl Reason {
    /// Whether the reason speaks against comparing, rather than leaving it open.
    pub fn is_definite(&self) -> bool {
        matches!(
            self,
            Self::OtherData { .. }
                | Self::OtherContent { .. }
                | Self::OtherN { .. }
                | Self::OtherFocal { .. }
        )
    }

    /// One sentence, the runs called by their labels.
    pub fn sentence(&self, labels: &[String; 2]) -> String {
        let name = |run: Which| run.pick(labels);
        match self {
            Self::OtherData { run, files } => {
                let mut sentence = format!(
                    "The {} run opened {}, which the {} run did not.",
                    name(*run),
                    listed(files.iter().map(|file| file.path.as_str())),
                    name(run.other())
                );
                let own: Vec<&str> = files
                    .iter()
                    .filter(|file| file.agents)
                    .map(|file| file.path.as_str())
                    .collect();
                if !own.is_empty() {
                    sentence.push_str(&format!(
                        " The agent itself wrote {}, so it is no data of the study.",
                        listed(own.into_iter())
                    ));
                }
                sentence
            }
            Self::OtherContent { files } => format!(
                "The runs were given other contents of {}.",
                listed(files.iter().map(WorkspacePath::as_str))
            ),
            Self::OtherN {
                finding,
                first,
                second,
                ..
            } => format!(
                "N of `{finding}` is {first} in the {} run and {second} in the {} run.",
                labels[0], labels[1]
            ),
            Self::OtherFocal { first, second } => format!(
                "The verdicts are about different terms: `{first}` in the {} run and `{second}` in the {} run.",
                labels[0], labels[1]
            ),
            Self::IncompleteRecord { run } => format!(
                "The record of the files that the {} run opened may have gaps.",
                name(*run)
            ),
            Self::NothingRan { run } => format!("No execution of the {} run succeeded.", name(*run)),
            Self::NoDataSeen => "Neither run is on record as opening a data file.".to_owned(),
            Self::NoFocal { run } => {
                format!("The verdict of the {} run was applied to no finding.", name(*run))
            }
            Self::NoN { run } => format!("The {} run does not give N of the focal finding.", name(*run)),
            Self::NothingPaired => {
                "No finding of one run could be told to be a finding of the other.".to_owned()
            }
        }
    }
}

/// Names in a sentence, at most five.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 5;
    let more = names.len().saturating_sub(MOST);
    let mut shown: Vec<String> = names.take(MOST).map(|name| format!("`{name}`")).collect();
    if more > 0 {
        shown.push(format!("{more} more files"));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
