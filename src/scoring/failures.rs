//! Failures by class, counted from causes that are data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::failure::FailureCause;
use crate::domain::lazy_regex::LazyRegex;
use crate::statistics::proportion::Proportion;

static RECORD: LazyRegex = LazyRegex::new(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - ");

/// True if a text is an agent's log: it has a turn, or a record with its time.
pub fn is_log(text: &str) -> bool {
    text.contains("--- Turn") || RECORD.is_match(text)
}

/// Failures by recorded cause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakdown {
    /// How often each cause occurred; causes that did not are absent.
    pub by_cause: BTreeMap<FailureCause, u64>,
    /// Of all failures, those that are the agent's and not the machine's or a person's.
    pub agents: Proportion,
}

impl Breakdown {
    /// Counts causes that were recorded as data.
    pub fn count(causes: impl IntoIterator<Item = FailureCause>) -> Self {
        let mut breakdown = Self::default();
        for cause in causes {
            *breakdown.by_cause.entry(cause).or_default() += 1;
            breakdown.agents.of += 1;
            breakdown.agents.hits += u64::from(cause.is_agents());
        }
        breakdown
    }

    /// Every failure's cause.
    pub fn causes(&self) -> impl Iterator<Item = FailureCause> {
        let each = self.by_cause.iter();
        each.flat_map(|(cause, count)| std::iter::repeat_n(*cause, usize::try_from(*count).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_failures_are_counted_apart() {
        use FailureCause::{Infrastructure, Setup};
        let breakdown = Breakdown::count([Setup, Infrastructure, Setup]);
        assert_eq!(
            (breakdown.by_cause[&Setup], breakdown.agents.to_string().as_str()),
            (2, "2/3")
        );
    }

    #[test]
    fn a_log_is_told_from_other_files() {
        assert!(is_log("x\n--- Turn 1 ---"));
        assert!(is_log("2026-02-03 21:13:24,820 - replication - INFO - hello"));
        assert!(!is_log("hello\n"));
    }
}
