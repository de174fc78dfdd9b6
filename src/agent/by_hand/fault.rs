//! Faults of a form, by the line that they are in.

use std::fmt;

/// Something in a form that cannot be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFault {
    /// Counted from 1; `None` where the fault is nowhere in particular.
    pub line: Option<usize>,
    /// The key, such as `original_study.claim.statement`; empty for the whole form.
    pub key: String,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl fmt::Display for FormFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        if !self.key.is_empty() {
            write!(formatter, "`{}`: ", self.key)?;
        }
        formatter.write_str(&self.problem)
    }
}
