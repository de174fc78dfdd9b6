//! A verdict as one line, and what speaks against it as a list.

use serde::{Deserialize, Serialize};

use crate::domain::doubt::DoubtCause;
use crate::domain::excerpt;
use crate::domain::verdict::{Outcome, Verdict};
use crate::verdict::judged::capital;

/// The most characters of a departure that a line shows; the whole stands beside it.
const SHOWN: usize = 300;

/// One thing that speaks against a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoubtView {
    pub cause: DoubtCause,
    /// The cause in words.
    pub name: String,
    /// One sentence with both numbers.
    pub detail: String,
    pub decides: bool,
}

/// The verdict as the beginning of a line: its outcome, why it is open, and
/// where its plan departs from what is fixed.
pub fn headline(verdict: &Verdict) -> String {
    format!("{}{}{}", verdict.outcome, open(verdict), departs(verdict))
}

/// The headline with the numbers that decided.
pub fn line(verdict: &Verdict) -> String {
    // A reason that begins with the cause would say it twice.
    let said = verdict
        .cause
        .and_then(|cause| verdict.reason.strip_prefix(cause.words())?.strip_prefix(": "));
    let reason = said.unwrap_or(&verdict.reason);
    match verdict.departure {
        Some(_) => format!("{}. {}", headline(verdict), capital(reason)),
        None => format!("{}: {reason}", headline(verdict)),
    }
}

/// Why a verdict is open, in parentheses; empty of another one.
pub fn open(verdict: &Verdict) -> String {
    let cause = verdict.cause.filter(|_| verdict.outcome == Outcome::Inconclusive);
    cause.map_or_else(String::new, |cause| format!(" ({cause})"))
}

/// The clause on a departure; empty where there is none.
pub fn departs(verdict: &Verdict) -> String {
    let Some(departure) = &verdict.departure else {
        return String::new();
    };
    let shown = excerpt::shortened(departure, SHOWN);
    format!("; the plan departs from what is fixed: {shown}")
}

/// The doubts of a verdict, those that decided first.
pub fn doubts(verdict: &Verdict) -> Vec<DoubtView> {
    let mut doubts: Vec<DoubtView> = verdict
        .doubts
        .iter()
        .map(|doubt| DoubtView {
            cause: doubt.cause,
            name: doubt.cause.words().to_owned(),
            detail: doubt.detail.clone(),
            decides: doubt.decides,
        })
        .collect();
    doubts.sort_by_key(|doubt| !doubt.decides);
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_departure_and_a_cause_stand_in_the_line() {
        let met = Verdict {
            departure: Some("alpha 0.1, not 0.05 (no reason is given)".to_owned()),
            ..Verdict::plain(Outcome::Met, "`x` is 0.4")
        };
        assert_eq!(
            line(&met),
            "criterion met; the plan departs from what is fixed: alpha 0.1, not 0.05 (no reason is given). `x` is 0.4"
        );
        let open = Verdict {
            cause: Some(DoubtCause::NotFromData),
            ..Verdict::plain(Outcome::Inconclusive, "not from the data: It stays.")
        };
        assert_eq!(line(&open), "inconclusive (not from the data): It stays.");
    }

    #[test]
    fn a_long_reason_of_an_agent_is_cut_in_the_line() {
        let met = Verdict {
            departure: Some("x".repeat(5000)),
            ..Verdict::plain(Outcome::Met, "")
        };
        assert!(headline(&met).chars().count() < 400 && headline(&met).ends_with('…'));
    }
}
