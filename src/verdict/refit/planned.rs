//! The model of a plan, as far as it can be fitted again.

use std::collections::BTreeSet;

use super::clause::{Clause, clauses, imputes};
use super::equation::{Equation, Factor, Form, NoEquation, Term};
use super::equation_search;
use super::errors::ErrorKind;
use super::family::Family;
use crate::domain::fit_details::{FitDetails, PlannedErrors};
use crate::verdict::plan_words::columns_in;

/// The parts of a plan that say what is fitted.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlanTexts<'a> {
    /// Model and equation.
    pub models: &'a str,
    /// Estimator and kind of standard errors.
    pub estimation: &'a str,
    pub missing: &'a str,
    /// What the plan says in fields; these precede its words.
    pub fit: Option<&'a FitDetails>,
}

/// A planned model in the names of the data's columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRefit {
    pub family: Family,
    pub equation: Equation,
    pub absorbed: Vec<String>,
    pub weights: Option<String>,
    /// The kind of errors that the plan names.
    pub errors: Option<ErrorKind>,
    /// The columns that the plan names after "cluster".
    pub clusters: Vec<String>,
    /// Whether the planned errors are of a kind that is computed here.
    pub has_known_errors: bool,
}

impl PlannedRefit {
    /// Every column that the plan gives a part in the model.
    pub fn columns(&self) -> Vec<&str> {
        let more = self.absorbed.iter().chain(&self.weights).chain(&self.clusters);
        let mut columns = self.equation.columns();
        columns.extend(more.map(String::as_str));
        columns
    }
}

/// The reason for which a planned model is not fitted again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    #[error(transparent)]
    Equation(#[from] NoEquation),
    #[error("the plan names no kind of model, or more than one, that can be fitted here")]
    Family,
    #[error("no opened file is a single table with its columns")]
    Data,
    #[error("the plan imputes missing values")]
    Imputed,
    #[error("the plan has weights that are no column of the data")]
    Weights,
    #[error("the plan names `{0}` beside its equation, and its part in the model is not clear")]
    Unclear(String),
    #[error("the plan transforms `{0}`, and its equation does not show how")]
    Transformed(String),
    #[error("the plan has {0}, and does not say by which columns")]
    Part(&'static str),
}

/// Reads the model that a plan names. `focal` is its focal term.
///
/// # Errors
/// Why it is not fitted again.
pub fn planned(
    plan: PlanTexts<'_>,
    focal: &str,
    is_column: &dyn Fn(&str) -> bool,
) -> Result<PlannedRefit, NoModel> {
    let named = format!("{}; {}", plan.models, plan.estimation);
    if Family::is_other(&named) {
        return Err(NoModel::Family);
    }
    let none = FitDetails::default();
    let fit = plan.fit.unwrap_or(&none);
    if fit.is_imputed() || imputes(&named) || imputes(plan.missing) {
        return Err(NoModel::Imputed);
    }
    let family = Family::from_words(plan.models).or_else(|| Family::from_words(plan.estimation));
    let mut family = family.ok_or(NoModel::Family)?;
    let found = equation_search::find(plan.models, is_column)?;
    let mut equation = found.equation;
    let weights = fit.weights().map(str::to_owned);
    if weights.as_deref().is_some_and(|column| !is_column(column)) {
        return Err(NoModel::Weights);
    }
    let mut read = PlannedRefit {
        family,
        absorbed: Vec::new(),
        weights,
        errors: match fit.errors {
            Some(errors) => ErrorKind::from_plan(errors),
            None => ErrorKind::from_words(&named),
        },
        clusters: fit.clusters.clone(),
        has_known_errors: match fit.errors {
            Some(errors) => errors != PlannedErrors::Other,
            None => !ErrorKind::is_other(&named),
        },
        equation: equation.clone(),
    };
    let known: BTreeSet<String> = equation.columns().into_iter().map(str::to_owned).collect();
    for (text, must_be_clear) in [
        (found.before, false),
        (found.after, true),
        (plan.estimation, false),
    ] {
        for clause in clauses(text) {
            let columns = columns_in(&clause, is_column);
            let new: Vec<&String> = columns.iter().filter(|column| !known.contains(*column)).collect();
            match Clause::from_text(&clause) {
                Some(Clause::Cluster) => read.clusters.extend(columns),
                Some(Clause::FixedEffects) => read.absorbed.extend(new.into_iter().cloned()),
                Some(Clause::RandomIntercept) if equation.groups.is_none() => {
                    equation.groups = columns.into_iter().next()
                }
                Some(Clause::Weights) if read.weights.is_some() => {}
                Some(Clause::Weights) => match new.as_slice() {
                    [one] => read.weights = Some((*one).clone()),
                    _ => return Err(NoModel::Weights),
                },
                Some(Clause::Instruments) if equation.instrumented.is_none() && !new.is_empty() => {
                    let own = columns.iter().find(|column| known.contains(*column));
                    let endogenous = own.map_or(focal, String::as_str);
                    equation.instrumented = Some((
                        vec![number(endogenous)],
                        new.into_iter().map(|name| number(name)).collect(),
                    ));
                }
                Some(Clause::Exposure) if equation.exposure.is_none() && !new.is_empty() => {
                    equation.exposure = new.into_iter().next().cloned();
                }
                Some(Clause::Event) if family == Family::Cox && equation.event.is_none() => {
                    equation.event = new.into_iter().next().cloned();
                }
                Some(_) => {}
                None if must_be_clear => {
                    if let Some(column) = new.first() {
                        return Err(NoModel::Unclear((*column).clone()));
                    }
                }
                None => {}
            }
        }
    }
    bars(&mut equation, &mut read, family);
    if family == Family::Linear && !read.absorbed.is_empty() {
        family = Family::Absorbed;
    }
    if let Some(column) = hidden_transformation(&equation, fit) {
        return Err(NoModel::Transformed(column));
    }
    let lacks = match family {
        Family::RandomIntercept if equation.groups.is_none() => Some("a random intercept"),
        Family::Iv if equation.instrumented.is_none() => Some("instruments"),
        Family::Absorbed if read.absorbed.is_empty() => Some("fixed effects"),
        Family::Cox if equation.event.is_none() => Some("a column of events"),
        _ => None,
    };
    if let Some(part) = lacks {
        return Err(NoModel::Part(part));
    }
    if family != Family::Absorbed {
        // The dummies of a few levels are terms like others.
        for column in std::mem::take(&mut read.absorbed) {
            equation.terms.push(Term {
                factors: vec![Factor {
                    column,
                    form: Form::Factor,
                }],
            });
        }
    }
    Ok(PlannedRefit {
        family,
        equation,
        ..read
    })
}

/// A column that the plan transforms and the equation has as it is in the data.
fn hidden_transformation(equation: &Equation, fit: &FitDetails) -> Option<String> {
    let factors = equation.terms.iter().flat_map(|term| &term.factors);
    let mut plain = std::iter::once(&equation.outcome)
        .chain(factors)
        .filter(|factor| factor.form == Form::Number);
    let found = plain.find(|factor| fit.transformed.contains(&factor.column));
    found.map(|factor| factor.column.clone())
}

/// What follows a bar: the instruments of R's `ivreg`, or effects that are absorbed.
fn bars(equation: &mut Equation, read: &mut PlannedRefit, family: Family) {
    for bar in std::mem::take(&mut equation.bars) {
        if family == Family::Iv && equation.instrumented.is_none() {
            let apart = |one: &[Term], other: &[Term]| -> Vec<Term> {
                one.iter().filter(|term| !other.contains(term)).cloned().collect()
            };
            equation.instrumented = Some((apart(&equation.terms, &bar), apart(&bar, &equation.terms)));
        } else {
            let columns = bar.into_iter().flat_map(|term| term.factors);
            read.absorbed.extend(columns.map(|factor| factor.column));
        }
    }
    if let Some((endogenous, _)) = &equation.instrumented {
        equation.terms.retain(|term| !endogenous.contains(term));
    }
}

fn number(column: &str) -> Term {
    Term {
        factors: vec![Factor {
            column: column.to_owned(),
            form: Form::Number,
        }],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fit_details::Imputation;

    fn read(models: &str, estimation: &str) -> Result<PlannedRefit, NoModel> {
        const COLUMNS: [&str; 10] = [
            "attended", "reminder", "age", "clinic", "class", "score", "tutoring", "pre", "near", "weight",
        ];
        let plan = PlanTexts {
            models,
            estimation,
            ..PlanTexts::default()
        };
        planned(plan, "reminder", &|name| COLUMNS.contains(&name))
    }

    #[test]
    fn models_of_plans_are_read_with_their_parts() {
        let logit = read(
            "Logit: attended ~ reminder + age",
            "Maximum likelihood, unweighted, conventional errors",
        )
        .unwrap();
        assert_eq!(
            (logit.family, logit.errors),
            (Family::Logit, Some(ErrorKind::Classical))
        );
        let mixed = read(
            "MixedLM: score ~ tutoring + pre, random intercept by class",
            "REML, random intercept for each class",
        )
        .unwrap();
        assert_eq!(
            (mixed.family, mixed.equation.groups.as_deref()),
            (Family::RandomIntercept, Some("class"))
        );
        let counts = read(
            "Poisson (log link): score ~ tutoring, with offset log(weight)",
            "",
        )
        .unwrap();
        assert_eq!(counts.equation.exposure.as_deref(), Some("weight"));
        let clustered = read(
            "OLS: score ~ tutoring + pre, with clinic fixed effects, errors clustered by class",
            "",
        )
        .unwrap();
        assert_eq!(
            (clustered.family, clustered.absorbed.len()),
            (Family::Absorbed, 1)
        );
        assert_eq!(
            (clustered.errors, clustered.clusters.as_slice()),
            (Some(ErrorKind::Clustered), &["class".to_owned()][..])
        );
        let iv = read("2SLS: score ~ reminder + age, reminder instrumented by near", "").unwrap();
        let (left, right) = iv.equation.instrumented.unwrap();
        assert_eq!(
            (left, right, iv.equation.terms.len()),
            (vec![number("reminder")], vec![number("near")], 1)
        );
        let ivreg = read(
            "IV: score ~ reminder + age | near + age",
            "two-stage least squares",
        )
        .unwrap();
        assert_eq!(ivreg.equation.instrumented.unwrap().1, vec![number("near")]);
        assert_eq!(
            read("WLS: score ~ pre, weighted by weight", "")
                .unwrap()
                .weights
                .as_deref(),
            Some("weight")
        );
    }

    #[test]
    fn fields_of_the_plan_precede_its_words() {
        let of = |models: &str, fit: FitDetails| {
            let plan = PlanTexts {
                models,
                fit: Some(&fit),
                ..PlanTexts::default()
            };
            planned(plan, "reminder", &|name| {
                ["attended", "reminder", "age", "clinic"].contains(&name)
            })
        };
        let text = "OLS with robust errors: attended ~ reminder + age";
        let clustered = FitDetails {
            errors: Some(PlannedErrors::Clustered),
            clusters: vec!["clinic".to_owned()],
            weights: Some("none".to_owned()),
            ..FitDetails::default()
        };
        let model = of(text, clustered).unwrap();
        assert_eq!((model.errors, model.weights), (Some(ErrorKind::Clustered), None));
        assert_eq!(model.clusters, ["clinic"]);
        let transformed = |column: &str| FitDetails {
            transformed: vec![column.to_owned()],
            ..FitDetails::default()
        };
        assert_eq!(
            of(text, transformed("age")),
            Err(NoModel::Transformed("age".to_owned()))
        );
        assert!(of(text, transformed("clinic")).is_ok(), "not in the model");
        assert!(of("OLS: attended ~ reminder + log(age)", transformed("age")).is_ok());
        let weighted = |column: &str| FitDetails {
            weights: Some(column.to_owned()),
            ..FitDetails::default()
        };
        assert_eq!(of(text, weighted("age")).unwrap().weights.as_deref(), Some("age"));
        assert_eq!(of(text, weighted("shares of clinics")), Err(NoModel::Weights));
        let imputed = FitDetails {
            imputation: Some(Imputation { m: 20, seed: None }),
            ..FitDetails::default()
        };
        assert_eq!(of(text, imputed), Err(NoModel::Imputed));
    }

    #[test]
    fn what_cannot_be_fitted_is_refused() {
        for (models, estimation) in [
            ("Logit: attended ~ reminder", "Bayesian logistic regression"),
            ("Logit: attended ~ reminder, multiple imputation (m = 20)", ""),
            (
                "Weighted logistic regression: attended ~ reminder, design weights by clinic shares",
                "",
            ),
            ("Difference of class means", "Permutation"),
            ("MixedLM: score ~ tutoring + pre", ""),
            ("OLS: score ~ tutoring, and the square of age", ""),
        ] {
            assert!(read(models, estimation).is_err(), "{models}");
        }
    }
}
