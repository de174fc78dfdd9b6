//! The terms of an attempt at a notebook task.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::category::Category;
use super::limits::NotebookLimits;
use super::pre_cell::PreCell;
use super::task_set::TaskSet;

/// The track of notebook tasks.
pub const TRACK: &str = "notebook";

/// The state of a repository that an attempt begins with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryState {
    /// The commit that the task names; the published runner uses it nowhere.
    Task,
    /// Whatever the mirror stands at, as an agent would clone it.
    #[default]
    Head,
}

impl FromStr for RepositoryState {
    type Err = UnknownTerm;

    fn from_str(text: &str) -> Result<Self, UnknownTerm> {
        match text {
            "task" => Ok(Self::Task),
            "head" => Ok(Self::Head),
            other => Err(UnknownTerm::new(other, "`task` or `head`")),
        }
    }
}

/// A word that is none of those that may stand in its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is none of {known}")]
pub struct UnknownTerm {
    found: String,
    known: &'static str,
}

impl UnknownTerm {
    fn new(found: &str, known: &'static str) -> Self {
        Self {
            found: found.to_owned(),
            known,
        }
    }
}

/// The cleaning of what a model is told of cells; grading and the files on disk have all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cleaning {
    /// Progress of downloads, compilers' lines and colours are left out.
    #[default]
    Published,
    Off,
}

impl FromStr for Cleaning {
    type Err = UnknownTerm;

    fn from_str(text: &str) -> Result<Self, UnknownTerm> {
        match text {
            "published" => Ok(Self::Published),
            "off" => Ok(Self::Off),
            other => Err(UnknownTerm::new(other, "`published` or `off`")),
        }
    }
}

/// The repository of an attempt, as it was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedRepository {
    /// The address that the task names.
    pub address: String,
    /// Its folder, below the one that the kernel starts in; of one that is to be cloned, its name.
    pub folder: String,
    /// Whether cells that are executed beforehand clone it: then a mirror stands in for the code host,
    /// and the folder is not there yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cloned: bool,
    /// The commit that was copied; `None` of a mirror without a history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The one that the task names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_of_task: Option<String>,
}

impl CopiedRepository {
    /// What was copied, in a sentence.
    pub fn sentence(&self) -> String {
        let of_task = match (&self.commit, &self.commit_of_task) {
            (Some(commit), Some(of_task)) if commit == of_task => ", the one that the task names".to_owned(),
            (_, Some(of_task)) => format!("; the task names {of_task}"),
            (_, None) => "; the task names none".to_owned(),
        };
        match &self.commit {
            Some(commit) => format!("{} was copied at commit {commit}{of_task}.", self.address),
            None => format!(
                "{} was copied from a mirror without a history{of_task}.",
                self.address
            ),
        }
    }
}

/// The task and the bounds of an attempt, as the first event of its run holds them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotebookTerms {
    /// The name of the task file, in the folder of the task.
    pub tasks: String,
    pub id: String,
    pub set: TaskSet,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// `None` of a task that names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<CopiedRepository>,
    /// The cells that are executed before the agent's turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pre_cells: Vec<PreCell>,
    pub limits: NotebookLimits,
    pub cleaning: Cleaning,
    /// The published agent that attempts it; absent where our own loop does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<NotebookAgent>,
}

impl NotebookTerms {
    /// The attempts of a run at most: further ones are made where none before submitted anything.
    pub fn attempts(&self) -> u32 {
        self.agent.as_ref().map_or(1, |agent| agent.attempts)
    }
}

/// A published agent as it attempts a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotebookAgent {
    pub name: String,
    /// Attempts at most.
    pub attempts: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_commit_was_copied_is_said() {
        let said = |commit: Option<&str>, of_task: Option<&str>| {
            CopiedRepository {
                address: "https://a/b".to_owned(),
                folder: "b".to_owned(),
                is_cloned: false,
                commit: commit.map(str::to_owned),
                commit_of_task: of_task.map(str::to_owned),
            }
            .sentence()
        };
        assert_eq!(
            said(Some("1a"), Some("1a")),
            "https://a/b was copied at commit 1a, the one that the task names."
        );
        assert!(said(Some("2b"), Some("1a")).ends_with("at commit 2b; the task names 1a."));
        assert!(said(None, Some("1a")).contains("without a history; the task names 1a"));
        assert!(said(None, None).ends_with("the task names none."));
    }
}
