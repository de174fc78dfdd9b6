//! The figures that a claim states, and the results that hold them.

use crate::catalog::artifacts::post_registration::NumericalResult;
use crate::domain::bare_number::NumberForm;
use crate::domain::excerpt;
use crate::domain::finding::{PValue, Relation};
use crate::domain::number_text::{self, Number};
use crate::verdict::trace::WrittenNumber;

/// The weight of a figure in telling which result it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Many results have the same bound.
    PValue,
    /// A coefficient of an equation, of which only one is the claim's.
    Term,
    /// A number with decimals, a percentage, or one behind the name of an
    /// estimate, an error or a statistic.
    Value,
}

/// One number of a claim.
#[derive(Debug, Clone)]
pub struct ClaimFigure {
    /// As the claim has it, with its name.
    pub text: String,
    weight: Weight,
    number: Number,
    is_percent: bool,
    written: WrittenNumber,
}

/// Names of estimates, errors and test statistics, in lower case.
const NAMES: [&str; 36] = [
    "b",
    "β",
    "beta",
    "coef",
    "coefficient",
    "estimate",
    "estimates",
    "r",
    "rho",
    "ρ",
    "d",
    "g",
    "or",
    "aor",
    "hr",
    "rr",
    "irr",
    "ratio",
    "t",
    "f",
    "z",
    "χ2",
    "χ²",
    "chi2",
    "x2",
    "squared",
    "square",
    "se",
    "s.e",
    "s.e.",
    "error",
    "m",
    "mean",
    "u",
    "w",
    "h",
];
/// Words before a number that is no result: labels, counts, levels, fit.
const OTHERS: [&str; 24] = [
    "table",
    "figure",
    "fig",
    "model",
    "study",
    "experiment",
    "section",
    "page",
    "p.",
    "pp",
    "equation",
    "eq",
    "hypothesis",
    "step",
    "column",
    "row",
    "wave",
    "n",
    "df",
    "r2",
    "r²",
    "alpha",
    "α",
    "level",
];
/// Words behind a number that make it the level of an interval or of a test.
const LEVELS: [&str; 7] = [
    "ci",
    "c.i.",
    "confidence",
    "credible",
    "level",
    "interval",
    "significance",
];

/// The figures of a claim, in their order.
pub fn figures(claim: &str) -> Vec<ClaimFigure> {
    number_text::numbers(claim)
        .into_iter()
        .filter_map(|number| figure(claim, number))
        .collect()
}

fn figure(claim: &str, number: Number) -> Option<ClaimFigure> {
    // The full stop of a sentence is no decimal point.
    let digits = claim.get(number.start..number.end)?.trim_end_matches('.');
    let is_count = digits.chars().all(|c| c.is_ascii_digit() || c == ',');
    let marked = claim[..number.start].trim_end_matches(|c: char| " <>=≤≥≈~:".contains(c));
    let lead = unparenthesised(marked);
    let shorter = ["of", "was", "is", "were"].iter().find_map(|word| {
        let shorter = lead.strip_suffix(word)?;
        shorter.ends_with(' ').then(|| shorter.trim_end())
    });
    let lead = shorter.unwrap_or(lead);
    let name_at = lead
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || "²._".contains(*c))
        .last()
        .map_or(lead.len(), |(at, _)| at);
    let name = lead[name_at..].to_lowercase();
    let before = lead[..name_at].trim_end_matches([' ', '-']).to_lowercase();
    let is_p = name == "p" || name == "pvalue" || (name == "value" && before.ends_with('p'));
    let behind = claim[number.end..].to_lowercase();
    let mut next = behind
        .split(|c: char| !c.is_alphabetic() && c != '.')
        .filter(|word| !word.is_empty())
        .take(2);
    let is_percent = number.percent || behind.trim_start().starts_with("percent");
    let is_level =
        is_percent && next.any(|word| LEVELS.contains(&word)) || behind.trim_start().starts_with("level");
    let weight = if is_p {
        Weight::PValue
    } else if OTHERS.contains(&name.as_str()) || is_level {
        return None;
    } else if NAMES.contains(&name.as_str()) {
        Weight::Value
    } else if is_count && !is_percent {
        return None;
    } else if is_term(claim, &number) {
        Weight::Term
    } else {
        Weight::Value
    };
    let written = WrittenNumber::parse(digits, NumberForm::Printed)
        .or_else(|| WrittenNumber::from_value(number.value))?;
    let named = is_p || NAMES.contains(&name.as_str());
    let text = if named {
        let whole = &claim[name_at..number.start + digits.len()];
        excerpt::one_line(whole)
    } else {
        digits.to_owned()
    };
    Some(ClaimFigure {
        text,
        weight,
        number,
        is_percent,
        written,
    })
}

/// Whether an operator joins a number to an equation.
fn is_term(claim: &str, number: &Number) -> bool {
    let before = &claim[..number.start];
    let joined = before.trim_end();
    let spaced = before.len() > joined.len() || number.value < 0.0;
    match joined.chars().next_back() {
        Some('+' | '×' | '*' | '·') => true,
        Some('-' | '−') => spaced && joined.trim_end_matches(['-', '−']).ends_with(' '),
        _ => false,
    }
}

/// A text without the parentheses that it ends with, as `t(42)` does.
fn unparenthesised(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix(')').and_then(|inner| inner.rfind('(')) {
        Some(open) => text[..open].trim_end(),
        None => text,
    }
}

/// The figures that tell one result from another: values where there are any,
/// else the terms of an equation, else p-values.
pub fn telling(figures: &[ClaimFigure]) -> Vec<&ClaimFigure> {
    let most = figures.iter().map(|figure| figure.weight).max();
    figures
        .iter()
        .filter(|figure| Some(figure.weight) == most)
        .collect()
}

impl ClaimFigure {
    /// Whether one of the numbers is this one at the precision of the claim. A
    /// figure without a minus may be the size of a negative number.
    pub fn is_among(&self, numbers: &[f64]) -> bool {
        numbers.iter().any(|found| {
            let size = if self.number.value < 0.0 {
                *found
            } else {
                found.abs()
            };
            self.written.is_of(size) || (self.is_percent && self.written.is_of(100.0 * size))
        })
    }

    /// Whether a result holds this figure.
    pub fn is_of(&self, result: &NumericalResult) -> bool {
        if self.weight != Weight::PValue {
            return self.is_among(&numbers_of(result));
        }
        let Some(found) = result.p_value.p_value() else {
            return false;
        };
        let bound = PValue {
            relation: self.number.relation,
            value: self.number.value,
        };
        match (bound.relation, found.relation) {
            (Relation::Less, Relation::Equal) => found.value < bound.value,
            (Relation::Greater, Relation::Equal) => found.value > bound.value,
            _ => self.written.is_of(found.value),
        }
    }
}

/// Every number that a result gives, those of its remarks included.
fn numbers_of(result: &NumericalResult) -> Vec<f64> {
    let bounds = &result.confidence_interval;
    let scalars = [
        &result.value,
        &result.standard_error,
        &result.statistic,
        &result.effect_size,
        &bounds.lower,
        &bounds.upper,
    ];
    let mut numbers = Vec::new();
    for scalar in scalars {
        match scalar.text() {
            Some(text) => numbers.extend(values(text)),
            None => numbers.extend(scalar.number()),
        }
    }
    numbers.extend(values(&result.unit));
    numbers
}

/// The numbers of a text.
pub fn values(text: &str) -> Vec<f64> {
    number_text::numbers(text)
        .iter()
        .map(|number| number.value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_counts_and_levels_are_no_figures() {
        let texts =
            |claim: &str| -> Vec<String> { figures(claim).into_iter().map(|figure| figure.text).collect() };
        assert_eq!(
            texts(
                "Across 45 occupations in 1950 (Table 2.1, N = 45), prestige = −6.065 + 0.599 income: b = 0.599 (SE = \
                 0.120, t(42) = 5.00, p < .001, 95% CI [0.36, 0.84], R2 = .83)."
            ),
            [
                "−6.065",
                "0.599",
                "b = 0.599",
                "SE = 0.120",
                "t(42) = 5.00",
                "p < .001",
                "0.36",
                "0.84"
            ]
        );
        assert_eq!(
            texts("an odds ratio of 0.47, p-value = 8e-9"),
            ["ratio of 0.47", "value = 8e-9"]
        );
        assert_eq!(texts("an increase by 12% at the 5% level"), ["12"]);
        assert!(texts("Poverty is associated with crime in 51 states in 1993.").is_empty());
    }

    #[test]
    fn values_outweigh_the_terms_of_an_equation_and_these_p_values() {
        let telling_of = |claim: &str| -> Vec<String> {
            let all = figures(claim);
            telling(&all).iter().map(|figure| figure.text.clone()).collect()
        };
        assert_eq!(
            telling_of("y = 1.2 + 0.546 education, b = 0.599, p < .001"),
            ["1.2", "b = 0.599"]
        );
        assert_eq!(
            telling_of("+ 0.599 income + 0.546 education, p < .05"),
            ["0.599", "0.546"]
        );
        assert_eq!(
            telling_of("the slope is 0.02 (SE = 0.05, n = 4)"),
            ["0.02", "SE = 0.05"]
        );
        assert_eq!(telling_of("more of it (p = .03)"), ["p = .03"]);
        // Claims of ReplicatorBench.
        assert_eq!(
            telling_of("resulted in a 4.1 percentage point decrease (95% C.I. = 3.0–5.2) [ p < 0.001]"),
            ["4.1", "3.0", "5.2"]
        );
        assert_eq!(
            telling_of("0.187 with errors of 0.038, significant at the 1 percent level"),
            ["0.187", "0.038"]
        );
        assert_eq!(
            telling_of("less likely (3 percent, significant at p < 0.05)"),
            ["3"]
        );
    }
}
