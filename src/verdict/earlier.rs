//! Results that were seen before the code or the plan was changed.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::format;
use crate::domain::verdict::Outcome;

use super::figure::{figure, p_figure, quoted};

/// The results of an earlier execution call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierResult {
    /// Its execution, as reports name it.
    pub name: String,
    pub recorded: Vec<Finding>,
    pub printed: Vec<Finding>,
    /// What differs between the code or the plan then and in the last call.
    pub changed: Vec<String>,
}

/// The focal result of an earlier call, judged by the rule of the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenResult<'a> {
    pub name: &'a str,
    pub changed: &'a [String],
    pub outcome: Outcome,
    pub finding: Finding,
}

/// The doubts about a focal result that others preceded.
///
/// An earlier outcome that the rule had decided otherwise decides, whether code was
/// changed since or merely run again; one that is the same, or was open, stands beside
/// where something was changed. Equal numbers are no doubt: nothing of the result was
/// changed.
pub fn doubts(seen: &[SeenResult], outcome: Outcome, finding: &Finding) -> Vec<Doubt> {
    let is_decided = |outcome| matches!(outcome, Outcome::Met | Outcome::Unmet);
    let (deciding, mut beside): (Vec<&SeenResult>, Vec<&SeenResult>) = seen
        .iter()
        .filter(|one| !is_same(&one.finding, finding))
        .partition(|one| is_decided(one.outcome) && is_decided(outcome) && one.outcome != outcome);
    beside.retain(|one| !one.changed.is_empty());
    let told = |among: &[&SeenResult], decides| {
        let (first, more) = among.split_first()?;
        let more = match more.len() {
            0 => String::new(),
            1 => " One more such result was seen.".to_owned(),
            more => format!(" {more} more such results were seen."),
        };
        Some(Doubt {
            cause: DoubtCause::ChangedAfterResult,
            detail: format!(
                "{} gave {} ({}); {}, and the last call gave {} ({outcome}).{more}",
                first.name,
                numbers(&first.finding),
                first.outcome,
                since(first.changed),
                numbers(finding),
            ),
            decides,
            files: among.iter().flat_map(|one| one.changed).cloned().collect(),
        })
    };
    [told(&deciding, true), told(&beside, false)]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether no number that both give differs.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let agree = |one: Option<f64>, other: Option<f64>| one.zip(other).is_none_or(|(one, other)| one == other);
    agree(one.estimate, other.estimate)
        && agree(one.standard_error, other.standard_error)
        && agree(one.p_value.map(|p| p.value), other.p_value.map(|p| p.value))
        && agree(
            one.statistic.as_ref().map(|statistic| statistic.value),
            other.statistic.as_ref().map(|statistic| statistic.value),
        )
        && one.n.zip(other.n).is_none_or(|(one, other)| one == other)
}

fn numbers(finding: &Finding) -> String {
    let parts: Vec<String> = [
        finding
            .estimate
            .map(|value| format!("the estimate {}", figure(value))),
        finding.statistic.as_ref().map(ToString::to_string),
        finding.p_value.map(|p| format!("p {}", p_figure(p))),
        finding.n.map(|n| format!("n = {n}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() {
        "no number".to_owned()
    } else {
        parts.join(", ")
    }
}

fn since(changed: &[String]) -> String {
    if changed.is_empty() {
        return "then the same code ran again".to_owned();
    }
    let shown = quoted(changed.iter().take(3).map(String::as_str));
    let more = match changed.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let were = format::plural(changed.len(), "was", "were");
    format!("then {shown}{more} {were} changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(estimate: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            ..Finding::default()
        }
    }

    fn seen<'a>(outcome: Outcome, estimate: f64, changed: &'a [String]) -> SeenResult<'a> {
        SeenResult {
            name: "x1",
            changed,
            outcome,
            finding: finding(estimate),
        }
    }

    #[test]
    fn another_outcome_before_a_change_decides() {
        let changed = ["work/a.py".to_owned()];
        let found = doubts(
            &[
                seen(Outcome::Unmet, 0.1, &changed),
                seen(Outcome::Unmet, 0.2, &changed),
            ],
            Outcome::Met,
            &finding(0.4),
        );
        let [one] = found.as_slice() else {
            panic!("one doubt: {found:?}");
        };
        assert!(one.decides && one.cause == DoubtCause::ChangedAfterResult);
        assert_eq!(
            one.detail,
            "x1 gave the estimate 0.1 (criterion not met); then `work/a.py` was changed, and the last call gave the \
             estimate 0.4 (criterion met). One more such result was seen."
        );
    }

    #[test]
    fn the_same_outcome_stands_beside_and_the_same_numbers_are_nothing() {
        let changed = ["work/a.py".to_owned()];
        let of = |one: SeenResult| doubts(&[one], Outcome::Met, &finding(0.4));
        assert!(!of(seen(Outcome::Met, 0.3, &changed))[0].decides);
        assert!(!of(seen(Outcome::Inconclusive, 0.3, &changed))[0].decides);
        assert_eq!(of(seen(Outcome::Met, 0.4, &changed)), []);
        assert_eq!(of(seen(Outcome::Met, 0.3, &[])), []);
    }

    #[test]
    fn another_outcome_of_the_same_code_decides() {
        let found = doubts(&[seen(Outcome::Unmet, 0.1, &[])], Outcome::Met, &finding(0.4));
        assert!(found[0].decides);
        assert_eq!(
            found[0].detail,
            "x1 gave the estimate 0.1 (criterion not met); then the same code ran again, and the last call gave the \
             estimate 0.4 (criterion met)."
        );
    }
}
