//! A linear model fitted again from the data file, by the formula that was recorded.

use crate::domain::finding::Finding;
use crate::domain::misreading::{Facet, Misreading};
use crate::statistics::least_squares::{LeastSquares, least_squares};

use super::figure::{figure, quoted};
use super::plan_words::PlanWords;

/// Estimators that are ordinary least squares, as results record them.
const LINEAR: [&str; 2] = ["OLS", "lm"];
/// Names of the intercept.
const INTERCEPT: [&str; 4] = ["const", "Intercept", "(Intercept)", "1"];
/// How far an estimate may be off, in standard errors: code rounds on its way.
const OFF: f64 = 0.02;
/// Words of a plan that changes its variables under their own names, or weighs rows.
const CHANGED: [&str; 18] = [
    "log",
    "ln(",
    "standardi",
    "z-score",
    "z score",
    "centred",
    "centered",
    "recod",
    "revers",
    "winsor",
    "rescal",
    "divided",
    "multipl",
    "imput",
    "weighted",
    "squared",
    "transform",
    "minus",
];

/// A formula of columns alone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Formula<'a> {
    outcome: &'a str,
    columns: Vec<&'a str>,
}

/// A recorded estimate that the recorded formula does not give on the file: over as
/// many complete rows as it says that it used. Models of anything but columns, and
/// samples of other sizes, are let pass. A plan that changes variables on the way
/// leaves it beside.
pub fn check(
    finding: &Finding,
    plan: &PlanWords,
    column: impl Fn(&str) -> Option<Vec<f64>>,
) -> Option<Misreading> {
    let formula = formula(finding.model.as_deref()?)?;
    let (estimate, n) = (finding.estimate?, finding.n?);
    let own = finding.coefficient.as_deref().unwrap_or(&finding.name);
    let at = formula.columns.iter().position(|one| *one == own)?;
    let outcome = column(formula.outcome)?;
    let columns: Vec<Vec<f64>> = formula
        .columns
        .iter()
        .map(|name| column(name))
        .collect::<Option<_>>()?;
    let is_complete = |row: &usize| {
        let has = |column: &Vec<f64>| column.get(*row).is_some_and(|value| value.is_finite());
        has(&outcome) && columns.iter().all(has)
    };
    let rows: Vec<usize> = (0..outcome.len()).filter(is_complete).collect();
    if rows.len() as u64 != n {
        return None;
    }
    let taken = |column: &[f64]| -> Vec<f64> { rows.iter().map(|row| column[*row]).collect() };
    let y = taken(&outcome);
    let plain: Vec<Vec<f64>> = columns.iter().map(|column| taken(column)).collect();
    let with_intercept: Vec<Vec<f64>> = plain.iter().cloned().chain([vec![1.0; rows.len()]]).collect();
    // A formula may leave out its intercept without saying so.
    let fits: Vec<LeastSquares> = [&with_intercept, &plain]
        .into_iter()
        .filter_map(|columns| least_squares(&y, columns))
        .collect();
    let first = fits.first()?;
    let is_near = |fit: &LeastSquares| {
        fit.coefficients
            .get(at)
            .zip(fit.errors.get(at))
            .is_some_and(|(found, error)| (found - estimate).abs() <= OFF * error)
    };
    if fits.iter().any(is_near) {
        return None;
    }
    let lists = [&plan.outcome, &plan.predictors, &plan.controls, &plan.method];
    let words = lists.map(|list| list.to_lowercase()).join("; ");
    let words = words.replace("unweighted", "").replace("untransformed", "");
    Some(Misreading {
        facet: Facet::Recomputed,
        detail: format!(
            "least squares of `{}` on {} over the {n} complete rows of the file give `{own}` the estimate {}, and {} is \
             recorded",
            formula.outcome,
            quoted(formula.columns.iter().copied()),
            figure(*first.coefficients.get(at)?),
            figure(estimate)
        ),
        decides: !CHANGED.iter().any(|word| words.contains(word)),
    })
}

/// The formula of a linear model of columns; `None` of any other.
fn formula(model: &str) -> Option<Formula<'_>> {
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
    usable.then_some(Formula { outcome, columns })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Option<Vec<f64>> {
        match name {
            "a" => Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f64::NAN]),
            "b" => Some(vec![2.0, 1.0, 4.0, 3.0, 6.0, 8.0, 1.0]),
            "y" => Some(vec![3.0, 4.0, 8.0, 8.0, 12.0, 16.0, 2.0]),
            _ => None,
        }
    }

    fn of(model: &str, estimate: f64, n: u64, method: &str) -> Option<Misreading> {
        let finding = Finding {
            name: "a".to_owned(),
            estimate: Some(estimate),
            n: Some(n),
            model: Some(model.to_owned()),
            ..Finding::default()
        };
        let plan = PlanWords {
            method: method.to_owned(),
            ..PlanWords::default()
        };
        check(&finding, &plan, column)
    }

    #[test]
    fn an_estimate_that_the_formula_gives_is_let_pass() {
        for model in ["OLS y ~ a + b", "lm y ~ a + b", "OLS y ~ const + a + b (HC3)"] {
            assert_eq!(of(model, 1.342_342, 6, ""), None, "{model}");
        }
        // Without an intercept: R, lm(y ~ 0 + a + b).
        assert_eq!(of("OLS y ~ a + b", 1.336_700, 6, ""), None);
    }

    #[test]
    fn another_estimate_is_named_with_both_numbers() {
        let found = of("OLS y ~ a + b", -1.342_342, 6, "OLS, unweighted").unwrap();
        assert!(found.decides && found.facet == Facet::Recomputed);
        assert!(
            found.detail.contains("1.34234") && found.detail.contains("-1.34234 is recorded"),
            "{}",
            found.detail
        );
        assert!(!of("OLS y ~ a + b", -1.3, 6, "a is reversed").unwrap().decides);
    }

    #[test]
    fn what_cannot_be_fitted_again_is_let_pass() {
        for model in [
            "Logit y ~ a + b",
            "OLS np.log(y) ~ a + b",
            "OLS y ~ a + C(b)",
            "OLS y ~ a + other",
            "Welch t test",
        ] {
            assert_eq!(of(model, 9.0, 6, ""), None, "{model}");
        }
        assert_eq!(of("OLS y ~ a + b", 9.0, 5, ""), None, "a part of the rows");
    }
}
