//! Budgets of an attempt. The constants are those of the published runner.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::task_set::TaskSet;
use crate::domain::failure::FailureCause;

/// Seconds of all cells together, those that are executed beforehand too.
pub const ENVIRONMENT_SECONDS: u64 = 1_800;
/// Prompt tokens of all calls together, of a Masked task and of another.
pub const PROMPT_TOKENS_MASKED: u64 = 400_000;
pub const PROMPT_TOKENS: u64 = 600_000;
/// Answers of the model.
pub const ITERATIONS: u32 = 100;
/// Seconds that a cell is waited for at a time.
pub const WAIT_SECONDS: u64 = 300;

/// The budgets of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotebookLimits {
    pub environment_seconds: u64,
    pub prompt_tokens: u64,
    pub iterations: u32,
    pub wait_seconds: u64,
}

impl NotebookLimits {
    /// The published budgets of a set.
    pub fn published(set: TaskSet) -> Self {
        Self {
            environment_seconds: ENVIRONMENT_SECONDS,
            prompt_tokens: match set {
                TaskSet::Masked => PROMPT_TOKENS_MASKED,
                TaskSet::Expert | TaskSet::Auto => PROMPT_TOKENS,
            },
            iterations: ITERATIONS,
            wait_seconds: WAIT_SECONDS,
        }
    }

    /// The budgets by whose end an attempt of several is over, which have equal shares; what one leaves
    /// over is the next one's.
    pub fn of_attempt(self, attempt: u32, attempts: u32) -> Self {
        let share = |whole: u64| {
            let share = u128::from(whole) * u128::from(attempt.min(attempts)) / u128::from(attempts.max(1));
            u64::try_from(share).unwrap_or(whole)
        };
        Self {
            environment_seconds: share(self.environment_seconds),
            prompt_tokens: share(self.prompt_tokens),
            ..self
        }
    }

    /// The budget that is used up before another call of the model: strictly more was used than is
    /// allowed, as published, so that an attempt can run over by one step.
    pub fn reached(&self, used: NotebookUse) -> Option<BudgetReached> {
        let budgets = [
            (
                NotebookBudget::EnvironmentSeconds,
                used.environment_ms.div_ceil(1000),
                used.environment_ms > self.environment_seconds.saturating_mul(1000),
                self.environment_seconds,
            ),
            (
                NotebookBudget::PromptTokens,
                used.prompt_tokens,
                used.prompt_tokens > self.prompt_tokens,
                self.prompt_tokens,
            ),
        ];
        budgets
            .into_iter()
            .find(|(_, _, is_over, _)| *is_over)
            .map(|(budget, used, _, allowed)| BudgetReached {
                budget,
                used,
                allowed,
            })
    }
}

/// The amounts that an attempt has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotebookUse {
    pub environment_ms: u64,
    pub prompt_tokens: u64,
}

/// A budget that ends an attempt. The one on iterations ends its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotebookBudget {
    EnvironmentSeconds,
    PromptTokens,
}

/// A budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetReached {
    pub budget: NotebookBudget,
    pub used: u64,
    pub allowed: u64,
}

impl BudgetReached {
    /// The cause that the attempt ends by.
    pub fn cause(self) -> FailureCause {
        match self.budget {
            NotebookBudget::EnvironmentSeconds => FailureCause::Timeout,
            NotebookBudget::PromptTokens => FailureCause::Limit,
        }
    }
}

impl fmt::Display for BudgetReached {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.budget {
            NotebookBudget::EnvironmentSeconds => "seconds of cells",
            NotebookBudget::PromptTokens => "prompt tokens",
        };
        write!(
            formatter,
            "{} {what} are used, and {} are allowed",
            self.used, self.allowed
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_an_attempt_once_more_than_it_is_used() {
        let limits = NotebookLimits::published(TaskSet::Masked);
        let reached = |environment_ms, prompt_tokens| {
            let used = NotebookUse {
                environment_ms,
                prompt_tokens,
            };
            limits
                .reached(used)
                .map(|reached| (reached.budget, reached.cause()))
        };
        assert_eq!(reached(1_800_000, 400_000), None);
        assert_eq!(
            reached(1_800_001, 0),
            Some((NotebookBudget::EnvironmentSeconds, FailureCause::Timeout))
        );
        assert_eq!(
            reached(0, 400_001),
            Some((NotebookBudget::PromptTokens, FailureCause::Limit))
        );
        assert_eq!(NotebookLimits::published(TaskSet::Expert).prompt_tokens, 600_000);
        let share = |attempt| limits.of_attempt(attempt, 3).environment_seconds;
        assert_eq!(
            [share(1), share(2), share(3), share(9)],
            [600, 1_200, 1_800, 1_800]
        );
        assert_eq!(limits.of_attempt(1, 1), limits);
    }
}
