//! The choices of an attempt at a notebook task.

use std::path::PathBuf;

use crate::engine::request::LostSession;
use crate::notebook::limits::NotebookLimits;
use crate::notebook::task_set::TaskSet;
use crate::notebook::terms::{Cleaning, RepositoryState};

use super::run::RunChoice;
use super::session::{NetworkChoice, session_limits};

/// The choices of an attempt at a notebook task.
#[derive(Debug, Clone, PartialEq)]
pub struct NotebookChoice {
    pub run: RunChoice,
    /// The folder of mirrors; the one next to the task file if none is named.
    pub repos: Option<PathBuf>,
    pub at: RepositoryState,
    /// Packages of Python, and of Debian, that are installed beforehand.
    pub packages: Vec<String>,
    pub system: Vec<String>,
    pub cleaning: Cleaning,
    pub network: NetworkChoice,
    pub lost_session: LostSession,
    /// Most attempts of an agent that makes several.
    pub attempts: Option<u32>,
    pub budgets: NotebookBudgets,
}

/// The budgets that replace those of the published runner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotebookBudgets {
    pub environment_seconds: Option<u64>,
    pub prompt_tokens: Option<u64>,
    pub iterations: Option<u32>,
    pub wait: Option<u64>,
}

impl Default for NotebookChoice {
    fn default() -> Self {
        Self {
            run: RunChoice::new(session_limits()),
            repos: None,
            at: RepositoryState::default(),
            packages: Vec::new(),
            system: Vec::new(),
            cleaning: Cleaning::default(),
            network: NetworkChoice::default(),
            lost_session: LostSession::default(),
            attempts: None,
            budgets: NotebookBudgets::default(),
        }
    }
}

impl NotebookBudgets {
    /// The published budgets of a set, with those that were given in their place.
    pub fn limits(self, set: TaskSet) -> NotebookLimits {
        let published = NotebookLimits::published(set);
        NotebookLimits {
            environment_seconds: self.environment_seconds.unwrap_or(published.environment_seconds),
            prompt_tokens: self.prompt_tokens.unwrap_or(published.prompt_tokens),
            iterations: self.iterations.unwrap_or(published.iterations),
            wait_seconds: self.wait.unwrap_or(published.wait_seconds),
        }
    }
}
