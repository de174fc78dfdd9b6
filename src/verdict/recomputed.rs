//! A linear model fitted again from the data file, by the formula that was recorded
//! or, where none was, by the equation that was planned.

use crate::domain::finding::Finding;
use crate::domain::misreading::{Facet, Misreading};
use crate::statistics::least_squares::{LeastSquares, least_squares};

use super::figure::{figure, quoted};
use super::linear_formula;
use super::plan_words::PlanWords;

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

/// An estimate that its formula does not give on the file: over as many complete rows
/// as it says that it used. The formula is the recorded one; of a printed result, which
/// has none, the equation of the plan. Models of anything but columns, and
/// samples of other sizes, are let pass. A plan that changes variables on the way
/// leaves it beside.
pub fn check(
    finding: &Finding,
    plan: &PlanWords,
    column: impl Fn(&str) -> Option<Vec<f64>>,
) -> Option<Misreading> {
    let (formula, source, is_given) = match finding.model.as_deref() {
        Some(model) => (linear_formula::recorded(model)?, "", "recorded"),
        None => (
            linear_formula::planned(&plan.method, |name| column(name).is_some())?,
            ", as the plan has it,",
            "printed",
        ),
    };
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
            "least squares of `{}` on {}{source} over the {n} complete rows of the file give `{own}` the estimate {}, and \
             {} is {is_given}",
            formula.outcome,
            quoted(formula.columns.iter().copied()),
            figure(*first.coefficients.get(at)?),
            figure(estimate)
        ),
        decides: !CHANGED.iter().any(|word| words.contains(word)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Option<Vec<f64>> {
        match name {
            "a" | "age" => Some(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f64::NAN]),
            "b" | "dose" => Some(vec![2.0, 1.0, 4.0, 3.0, 6.0, 8.0, 1.0]),
            "y" => Some(vec![3.0, 4.0, 8.0, 8.0, 12.0, 16.0, 2.0]),
            _ => None,
        }
    }

    fn misreading(model: &str, estimate: f64, n: u64, method: &str) -> Option<Misreading> {
        let model = (!model.is_empty()).then(|| model.to_owned());
        let finding = Finding {
            name: "a".to_owned(),
            estimate: Some(estimate),
            n: Some(n),
            model,
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
            assert_eq!(misreading(model, 1.342_342, 6, ""), None, "{model}");
        }
        // Without an intercept: R, lm(y ~ 0 + a + b).
        assert_eq!(misreading("OLS y ~ a + b", 1.336_700, 6, ""), None);
    }

    #[test]
    fn another_estimate_is_named_with_both_numbers() {
        let found = misreading("OLS y ~ a + b", -1.342_342, 6, "OLS, unweighted").unwrap();
        assert!(found.decides && found.facet == Facet::Recomputed);
        assert!(
            found.detail.contains("1.34234") && found.detail.contains("-1.34234 is recorded"),
            "{}",
            found.detail
        );
        assert!(
            !misreading("OLS y ~ a + b", -1.3, 6, "a is reversed")
                .unwrap()
                .decides
        );
    }

    #[test]
    fn a_printed_estimate_is_held_against_the_planned_equation() {
        let plan = PlanWords {
            method: "OLS: y = b0 + b1 age + b2 dose + e; unweighted".to_owned(),
            ..PlanWords::default()
        };
        let printed = |estimate: f64, n: u64| Finding {
            name: "age".to_owned(),
            estimate: Some(estimate),
            n: Some(n),
            ..Finding::default()
        };
        assert_eq!(
            check(&printed(9.0, 6), &plan, |_| Some(vec![1.0; 6])),
            None,
            "`b1` is a column, too"
        );
        assert_eq!(check(&printed(1.342_342, 6), &plan, column), None);
        assert_eq!(check(&printed(9.0, 5), &plan, column), None);
        let found = check(&printed(9.0, 6), &plan, column).unwrap();
        assert!(
            found.decides && found.detail.contains("1.34234, and 9 is printed"),
            "{}",
            found.detail
        );
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
            assert_eq!(misreading(model, 9.0, 6, ""), None, "{model}");
        }
        assert_eq!(
            misreading("OLS y ~ a + b", 9.0, 5, ""),
            None,
            "a part of the rows"
        );
    }
}
