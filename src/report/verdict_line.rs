//! A verdict as one line, and what speaks against it as a list.

use serde::{Deserialize, Serialize};

use crate::domain::doubt::DoubtCause;
use crate::domain::excerpt;
use crate::domain::verdict::{Outcome, Verdict};
use crate::verdict::judged::{capital, clause};

use super::doubt_words;

/// The most bytes of a departure that a line shows; the report has the whole.
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
    /// Whether the verdict's reason gives it already.
    #[serde(default)]
    pub in_reason: bool,
    /// Why a verdict that is met or not met does not depend on it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

/// The verdict as the beginning of a line: its outcome, why it is open, and
/// how its plan departs from the fixed rule.
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

/// The clause on a departure; empty if there is none.
pub fn departs(verdict: &Verdict) -> String {
    let Some(departure) = &verdict.departure else {
        return String::new();
    };
    let shown = excerpt::words_between(departure, 0, SHOWN);
    format!("; the plan departs from the fixed rule: {shown}")
}

/// Whether a text contains a sentence, be it as a clause.
pub fn repeats(text: &str, sentence: &str) -> bool {
    let bare = clause(sentence);
    !bare.is_empty() && (text.contains(&bare) || text.contains(bare_end(sentence)))
}

fn bare_end(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

/// The doubts of a verdict, those that decided first.
pub fn doubts(verdict: &Verdict) -> Vec<DoubtView> {
    let is_decided = matches!(verdict.outcome, Outcome::Met | Outcome::Unmet);
    let mut doubts: Vec<DoubtView> = verdict
        .doubts
        .iter()
        .map(|doubt| DoubtView {
            cause: doubt.cause,
            name: doubt.cause.words().to_owned(),
            detail: doubt.detail.clone(),
            decides: doubt.decides,
            in_reason: repeats(&verdict.reason, &doubt.detail),
            beside: (is_decided && !doubt.decides)
                .then(|| doubt_words::why_it_does_not_decide(doubt.cause).to_owned()),
        })
        .collect();
    doubts.sort_by_key(|doubt| !doubt.decides);
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::doubt::Doubt;

    #[test]
    fn a_departure_and_a_cause_are_in_the_line() {
        let met = Verdict {
            departure: Some("alpha 0.1, not 0.05 (no reason is given)".to_owned()),
            ..Verdict::plain(Outcome::Met, "`x` is 0.4")
        };
        assert_eq!(
            line(&met),
            "criterion met; the plan departs from the fixed rule: alpha 0.1, not 0.05 (no reason is given). `x` is 0.4"
        );
        let open = Verdict {
            cause: Some(DoubtCause::NotFromData),
            ..Verdict::plain(Outcome::Inconclusive, "not from the data: It stays.")
        };
        assert_eq!(line(&open), "inconclusive (not from the data): It stays.");
    }

    #[test]
    fn a_doubt_says_what_the_reason_does_not() {
        let doubt = |cause, detail: &str, decides| Doubt::new(cause, detail, decides);
        let deciding = doubt(DoubtCause::NotFromData, "It stays.", true);
        let other = doubt(DoubtCause::Report, "The report gives 2, not 3.", false);
        let open = Verdict {
            doubts: vec![other.clone(), deciding],
            ..Verdict::plain(
                Outcome::Inconclusive,
                "not from the data: It stays. At face value, it is 3",
            )
        };
        let shown = doubts(&open);
        assert!(shown[0].decides && shown[0].in_reason && !shown[1].in_reason);
        assert_eq!(shown[1].beside, None);
        let met = Verdict {
            doubts: vec![other],
            ..Verdict::plain(Outcome::Met, "`x` is 3")
        };
        let why = doubts(&met)[0].beside.clone();
        assert_eq!(why.as_deref(), Some("The verdict uses the numbers of the code."));
        let clause = doubt(DoubtCause::Missing, "No result has the name `x`.", true);
        let alone = Verdict {
            doubts: vec![clause],
            ..Verdict::plain(Outcome::Inconclusive, "no result has the name `x`")
        };
        assert!(doubts(&alone)[0].in_reason);
    }

    #[test]
    fn a_long_reason_of_an_agent_is_cut_in_the_line() {
        let met = Verdict {
            departure: Some("x ".repeat(5000)),
            ..Verdict::plain(Outcome::Met, "")
        };
        assert!(headline(&met).chars().count() < 400 && headline(&met).ends_with('…'));
    }
}
