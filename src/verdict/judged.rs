//! A condition, judged, and its clauses.

use crate::domain::doubt::Doubt;
use crate::domain::verdict::Outcome;

/// A condition, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub outcome: Outcome,
    /// One clause with the numbers.
    pub reason: String,
    pub doubts: Vec<Doubt>,
}

impl Judged {
    /// Left open for a doubt.
    pub fn open(doubt: Doubt) -> Self {
        Self {
            outcome: Outcome::Inconclusive,
            reason: clause(&doubt.detail),
            doubts: vec![doubt],
        }
    }
}

/// Met, not met, or open.
pub fn outcome(decision: Option<bool>) -> Outcome {
    match decision {
        Some(true) => Outcome::Met,
        Some(false) => Outcome::Unmet,
        None => Outcome::Inconclusive,
    }
}

/// A sentence as a clause: without its capital and its full stop.
pub fn clause(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string());
    let rest = characters.as_str();
    format!(
        "{}{}",
        first.unwrap_or_default(),
        rest.strip_suffix('.').unwrap_or(rest)
    )
}

/// A clause with a capital.
pub fn capital(clause: &str) -> String {
    let mut characters = clause.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}
