//! Reading the number that decides out of what an analysis printed.
//!
//! The class of ReplicatorBench's Table 5 for it is result extraction: the code
//! ran to its end, and its result was not had from its output.

use std::fmt;

use crate::domain::finding::Finding;
use crate::domain::rule::Rule;

use super::trace::Output;

/// The reason for which the focal result could not be read.
#[derive(Debug, Clone, PartialEq)]
pub enum Unread {
    /// The report holds no finding at all.
    NoFinding,
    /// The report holds findings of these names, and none is about the term.
    /// What was analysed may be something else, so this alone is no failure to
    /// read an output.
    OtherTerms { term: String, names: Vec<String> },
    /// A deciding number of this finding stands in no output of a successful
    /// execution.
    NotPrinted { finding: Box<Finding>, number: String },
}

impl Unread {
    /// Whether it was the reading that failed.
    pub fn is_extraction(&self) -> bool {
        !matches!(self, Self::OtherTerms { .. })
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFinding => write!(formatter, "no finding was reported"),
            Self::OtherTerms { term, names } => write!(
                formatter,
                "none of the reported findings ({}) is about `{term}`",
                names.join(", ")
            ),
            Self::NotPrinted { number, .. } => write!(
                formatter,
                "the reported {number} is not in the output of a successful execution"
            ),
        }
    }
}

/// The reported finding about the focal term, whose deciding numbers were printed.
///
/// Significance and direction looks at estimate and p-value; every other rule
/// at the estimate, what its precision is taken from, and the degrees of freedom
/// where they count.
///
/// # Errors
/// No finding, none about the term, or one whose deciding number no execution printed.
pub fn focal_result(
    term: &str,
    rule: Rule,
    findings: &[Finding],
    outputs: &Output,
) -> Result<Finding, Unread> {
    if findings.is_empty() {
        return Err(Unread::NoFinding);
    }
    let Some(finding) = focal(term, findings) else {
        return Err(Unread::OtherTerms {
            term: term.to_owned(),
            names: findings.iter().map(|finding| finding.name.clone()).collect(),
        });
    };
    match absent(finding, rule, outputs) {
        Some(number) => Err(Unread::NotPrinted {
            finding: Box::new(finding.clone()),
            number,
        }),
        None => Ok(finding.clone()),
    }
}

/// The number that decides and that no successful execution printed.
fn absent(finding: &Finding, rule: Rule, outputs: &Output) -> Option<String> {
    let unprinted = |number: f64| outputs.find(number).is_none();
    if let Some(estimate) = finding.estimate.filter(|estimate| unprinted(*estimate)) {
        return Some(format!("estimate {estimate}"));
    }
    let by_error = !rule.is_default();
    let by_df = by_error && (rule.tests_replication() || finding.standard_error.is_none());
    if let Some(df) = finding.df.filter(|df| by_df && unprinted(*df)) {
        return Some(format!("number of degrees of freedom {df}"));
    }
    if let Some(error) = finding.standard_error.filter(|_| by_error) {
        return unprinted(error).then(|| format!("standard error {error}"));
    }
    if let Some(interval) = finding.interval.filter(|_| by_error) {
        let limit = [interval.lower, interval.upper]
            .into_iter()
            .find(|limit| unprinted(*limit))?;
        return Some(format!("limit {limit} of the confidence interval"));
    }
    let p_value = finding
        .p_value
        .filter(|p_value| outputs.find_p(*p_value).is_none())?;
    Some(format!("p-value ({p_value})"))
}

/// The finding about the focal term: named exactly so, else the only one whose
/// name holds the term as a word.
pub fn focal<'a>(term: &str, findings: &'a [Finding]) -> Option<&'a Finding> {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '.'))
            .filter(|word| !word.is_empty())
            .map(ToOwned::to_owned)
            .collect()
    };
    let wanted = words(term);
    if let Some(exact) = findings.iter().find(|finding| words(&finding.name) == wanted) {
        return Some(exact);
    }
    let holds = |finding: &&Finding| {
        let name = words(&finding.name);
        !wanted.is_empty() && name.windows(wanted.len()).any(|window| window == wanted)
    };
    let mut holding = findings.iter().filter(holds);
    match (holding.next(), holding.next()) {
        (Some(one), None) => Some(one),
        // A term's main effect is named before its interactions and controls.
        (Some(first), Some(_)) if words(&first.name).first() == wanted.first() => Some(first),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{PValue, Relation};
    use crate::domain::ids::ExecutionId;

    fn finding(name: &str, estimate: f64, p: f64) -> Finding {
        Finding {
            name: name.to_owned(),
            estimate: Some(estimate),
            p_value: Some(PValue {
                relation: Relation::Equal,
                value: p,
            }),
            ..Finding::default()
        }
    }

    #[test]
    fn a_result_is_had_where_its_numbers_were_printed() {
        let mut outputs = Output::default();
        outputs.add(ExecutionId(1), "income 0.5 0.01\nage 0.7 0.2\n");
        let findings = [finding("income", 0.5, 0.01), finding("age", 0.9, 0.2)];
        let of = |term: &str| focal_result(term, Rule::default(), &findings, &outputs);
        assert_eq!(of("income").unwrap().estimate, Some(0.5));
        let invented = of("age").unwrap_err();
        assert!(invented.is_extraction());
        assert_eq!(
            invented.to_string(),
            "the reported estimate 0.9 is not in the output of a successful execution"
        );
        let other = of("height").unwrap_err();
        assert!(!other.is_extraction() && other.to_string().contains("(income, age)"));
        let none = focal_result("income", Rule::default(), &[], &outputs).unwrap_err();
        assert!(none.is_extraction());
    }

    #[test]
    fn degrees_of_freedom_have_to_be_printed_where_they_count() {
        let mut outputs = Output::default();
        outputs.add(ExecutionId(1), "income 0.5 0.2 df 97 p 0.01\n");
        let income = |df, standard_error| Finding {
            standard_error,
            df: Some(df),
            ..finding("income", 0.5, 0.01)
        };
        let of = |finding: Finding, rule| {
            focal_result("income", rule, &[finding], &outputs).map_err(|unread| unread.to_string())
        };
        let (invented, printed) = (income(970.0, Some(0.2)), income(97.0, Some(0.2)));
        assert!(of(printed, Rule::Equivalence).is_ok());
        let unprinted = of(invented.clone(), Rule::Equivalence).unwrap_err();
        assert!(
            unprinted.contains("degrees of freedom 970 is not in the output"),
            "{unprinted}"
        );
        assert!(of(invented.clone(), Rule::SignificanceAndDirection).is_ok());
        assert!(of(invented, Rule::SmallTelescopes).is_ok());
        assert!(of(income(970.0, None), Rule::SmallTelescopes).is_err());
    }

    #[test]
    fn a_rule_of_precision_asks_for_the_number_that_it_is_taken_from() {
        let mut outputs = Output::default();
        outputs.add(ExecutionId(1), "income 0.5 0.2\n");
        let mut income = finding("income", 0.5, 0.01);
        let of = |finding: &Finding, rule| {
            focal_result("income", rule, std::slice::from_ref(finding), &outputs)
                .map_err(|unread| unread.to_string())
        };
        let unprinted = of(&income, Rule::SmallTelescopes).unwrap_err();
        assert!(unprinted.contains("p-value"), "{unprinted}");
        income.standard_error = Some(0.2);
        assert!(
            of(&income, Rule::SmallTelescopes).is_ok(),
            "the p-value decides nothing"
        );
        assert!(of(&income, Rule::SignificanceAndDirection).is_err());
        income.standard_error = Some(0.3);
        let unprinted = of(&income, Rule::SmallTelescopes).unwrap_err();
        assert!(unprinted.contains("standard error 0.3"), "{unprinted}");
    }
}
