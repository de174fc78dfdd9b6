//! The formula of a linear model of columns alone, recorded or planned.

use super::plan_words::{has_word, identifiers};

/// Estimators that are ordinary least squares, as results record them.
const LINEAR: [&str; 2] = ["OLS", "lm"];
/// Names of the intercept in formulas that are recorded.
const INTERCEPT: [&str; 4] = ["const", "Intercept", "(Intercept)", "1"];
/// What plans call least squares.
const PLANNED: [&str; 3] = ["ordinary least squares", "linear regression", "linear model"];
/// Words of plans that are of other estimates than those of least squares.
const OTHER: [&str; 20] = [
    "fixed effect",
    "random effect",
    "mixed",
    "multilevel",
    "hierarchical",
    "instrument",
    "2sls",
    "two-stage",
    "logit",
    "logistic",
    "probit",
    "poisson",
    "tobit",
    "quantile",
    "median regression",
    "robust regression",
    "generalized",
    "generalised",
    "ridge",
    "lasso",
];
/// What stands in an equation for an intercept, a coefficient or an error.
const SYMBOLS: [&str; 18] = [
    "a",
    "b",
    "c",
    "e",
    "u",
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "error",
    "intercept",
    "const",
    "constant",
    "α",
    "β",
    "γ",
    "ε",
];

/// A formula of columns alone, without its intercept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearFormula<'a> {
    pub outcome: &'a str,
    pub columns: Vec<&'a str>,
}

/// The formula of a recorded model, such as `OLS y ~ a + b (HC3)`; `None` of any
/// other than least squares of columns.
pub fn recorded(model: &str) -> Option<LinearFormula<'_>> {
    let (kind, formula) = model.trim().split_once(' ')?;
    let formula = match formula.rsplit_once(" (") {
        // The kind of the errors, which leaves the estimate as it is.
        Some((formula, kind)) if kind.ends_with(')') => formula,
        _ => formula,
    };
    let (outcome, terms) = formula.split_once('~')?;
    let is_name = |name: &str| {
        name.chars()
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && name
                .chars()
                .all(|character| character.is_alphanumeric() || matches!(character, '_' | '.'))
    };
    let columns: Vec<&str> = terms
        .split('+')
        .map(str::trim)
        .filter(|term| !INTERCEPT.contains(term))
        .collect();
    let outcome = outcome.trim();
    let usable = LINEAR.contains(&kind)
        && is_name(outcome)
        && !columns.is_empty()
        && columns.iter().all(|name| is_name(name));
    usable.then_some(LinearFormula { outcome, columns })
}

/// The equation of a plan's model, such as `OLS: y = b0 + b1 a + b2 b + e`; `None`
/// where the plan's words are of another model, or the equation has a term that is no
/// column with at most a coefficient before it. A column that has the name of a symbol
/// makes it one of several readings, and none.
pub fn planned<'a>(method: &'a str, is_column: impl Fn(&str) -> bool) -> Option<LinearFormula<'a>> {
    let words = method.to_lowercase();
    let linear =
        has_word(&words, "ols") || has_word(&words, "lm") || PLANNED.iter().any(|word| words.contains(word));
    if !linear || OTHER.iter().any(|word| words.contains(word)) {
        return None;
    }
    let mut equations = method
        .split([';', '\n'])
        .flat_map(|part| part.split(". "))
        .filter_map(|part| part.split_once('~').or_else(|| part.split_once('=')));
    let (left, right) = equations.next()?;
    if equations.next().is_some()
        || left.contains('(')
        || right.contains(['=', '~', '^', ':', '(', ')', '/', '-'])
    {
        return None;
    }
    let outcome = identifiers(left).pop().filter(|name| is_column(name))?;
    let mut columns = Vec::new();
    for term in right.split('+') {
        let names = identifiers(term);
        let (symbols, named): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|name| is_symbol(name));
        if symbols.iter().any(|symbol| is_column(symbol)) {
            return None;
        }
        match named.as_slice() {
            [] => {}
            [column] if is_column(column) => columns.push(*column),
            _ => return None,
        }
    }
    (!columns.is_empty()).then_some(LinearFormula { outcome, columns })
}

/// Whether a word is a symbol, with a number or without: `b1`, `beta_2`, `e`.
fn is_symbol(name: &str) -> bool {
    let head =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || matches!(character, '_' | '.'));
    SYMBOLS.iter().any(|symbol| symbol.eq_ignore_ascii_case(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_column(name: &str) -> bool {
        ["rate", "poverty", "urban", "single", "e1"].contains(&name)
    }

    #[test]
    fn equations_of_plans_are_read() {
        let all = ["poverty", "urban", "single"];
        for (text, columns) in [
            (
                "OLS: rate = b0 + b1 poverty + b2 urban + b3 single + e; two-sided",
                &all[..],
            ),
            (
                "Ordinary least squares. rate = b0 + b1*poverty + error",
                &all[..1],
            ),
            ("lm rate ~ poverty + urban", &all[..2]),
            (
                "Linear regression of the rate\nrate = β0 + β1 poverty + ε",
                &all[..1],
            ),
        ] {
            let found = planned(text, is_column).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (found.outcome, found.columns.as_slice()),
                ("rate", columns),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_plain_equation_is_none() {
        for text in [
            "Logistic regression: rate = b0 + b1 poverty",
            "OLS with state fixed effects: rate = b0 + b1 poverty",
            "OLS: rate = b0 + b1 poverty*urban",
            "OLS: rate = b0 + b1 poverty:urban",
            "OLS: rate = b0 + b1 log(poverty)",
            "OLS: rate = b0 + b1 poverty + b2 poverty^2",
            "OLS: rate = b0 + b1 poverty + b2 region",
            "OLS: y = b0 + b1 poverty",
            "OLS: log(rate) = b0 + b1 poverty",
            "OLS: rate = b0 + b1 poverty; OLS: rate = b0 + b1 urban",
            "OLS: rate = b0 + b1 poverty + e1",
            "OLS of rate on poverty",
            "rate = b0 + b1 poverty",
        ] {
            assert_eq!(planned(text, is_column), None, "{text}");
        }
    }
}
