//! Fit of a recorded result's model to the planned one.

use crate::domain::criterion::Criterion;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::fit_details::PlannedErrors;

use super::figure::quoted;
use super::plan_words::{PlanWords, has_word, identifiers, is_made_of, items};
use super::refit::errors::ErrorKind;
use super::refit::family::Family;
use super::refit::planned::{PlanTexts, planned};
use super::term::{is_interaction, matches};

/// The fit of a result's model to the planned one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFit {
    Planned,
    /// What is different.
    Other(String),
    /// Its model was not recorded, or the plan names no column.
    Unknown,
}

/// Compares the recorded formula with the columns that the plan's lists begin with.
///
/// A planned control that is in no variable of the formula is lacking; a column
/// that the formula has and no word of the plan is not planned. Columns under
/// other names than the data's cannot be told and are let pass.
pub fn fit(finding: &Finding, plan: &PlanWords) -> ModelFit {
    let Some((left, right)) = finding.model.as_deref().and_then(|model| model.split_once('~')) else {
        return ModelFit::Unknown;
    };
    if right.contains('…') || right.contains("...") {
        return ModelFit::Unknown;
    }
    let wanted = plan.leading(&plan.controls);
    if plan.columns().next().is_none() {
        return ModelFit::Unknown;
    }
    if let Some(other) = other_family(finding, plan) {
        return ModelFit::Other(other);
    }
    let variables = identifiers(right);
    // A formula of everything names nothing.
    if variables.is_empty() || right.split('+').any(|part| part.trim() == ".") {
        return ModelFit::Unknown;
    }
    let lacking: Vec<&str> = wanted
        .into_iter()
        .filter(|column| !variables.iter().any(|variable| is_made_of(variable, column)))
        .collect();
    if !lacking.is_empty() {
        return ModelFit::Other(format!(
            "without {}, which the plan controls for",
            names(&lacking)
        ));
    }
    let mut added: Vec<&str> = plan
        .columns()
        .filter(|column| variables.contains(column) && !plan.mentions(column))
        .collect();
    added.sort_unstable();
    added.dedup();
    if !added.is_empty() {
        return ModelFit::Other(format!("with {}, which the plan does not name", names(&added)));
    }
    let further = beyond_equation(left, &variables, plan);
    if !further.is_empty() {
        return ModelFit::Other(format!(
            "with {}, which the plan's equation does not have",
            names(&further)
        ));
    }
    let outcomes = plan.leading(&plan.outcome);
    let taken = identifiers(left);
    let is_outcome = |column: &&str| taken.iter().any(|variable| is_made_of(variable, column));
    let other = plan
        .columns()
        .find(|column| taken.contains(column) && !has_word(&plan.outcome, column));
    match (other, outcomes.iter().next()) {
        (Some(other), Some(planned)) if !outcomes.iter().any(is_outcome) => {
            ModelFit::Other(format!("of `{other}`, and the plan's outcome is `{planned}`"))
        }
        _ => ModelFit::Planned,
    }
}

/// The family of a recorded fit, if the plan names another one.
fn other_family(finding: &Finding, plan: &PlanWords) -> Option<String> {
    let class = finding.model.as_deref()?.split(' ').next()?;
    let recorded = Family::from_class(class)?;
    let planned = Family::from_words(&plan.method).filter(|_| !Family::is_other(&plan.method))?;
    (!recorded.is_same_fit(planned)).then(|| {
        format!(
            "of another kind ({}, and the plan names {})",
            recorded.name(),
            planned.name()
        )
    })
}

/// The columns of a formula that the planned model of the same outcome does not have.
fn beyond_equation<'a>(left: &str, variables: &[&str], plan: &'a PlanWords) -> Vec<&'a str> {
    let texts = PlanTexts {
        models: &plan.method,
        fit: Some(&plan.fit),
        ..PlanTexts::default()
    };
    let is_column = |name: &str| plan.columns().any(|column| column == name);
    let Ok(planned) = planned(texts, "", &is_column) else {
        return Vec::new();
    };
    if !identifiers(left).contains(&planned.equation.outcome.column.as_str()) {
        return Vec::new();
    }
    let known = planned.columns();
    let mut further: Vec<&str> = plan
        .columns()
        .filter(|column| variables.contains(column) && !known.contains(column))
        .collect();
    further.sort_unstable();
    further.dedup();
    further
}

/// The doubt about a result of another model.
pub fn doubt(finding: &Finding, plan: &PlanWords) -> Option<Doubt> {
    let ModelFit::Other(what) = fit(finding, plan) else {
        return None;
    };
    let model = finding.model.as_deref().unwrap_or_default();
    Some(Doubt::deciding(
        DoubtCause::Model,
        format!("`{}` is of a model {what} (recorded as `{model}`).", finding.name),
    ))
}

/// Conventional errors where the plan asks for robust ones. The recorded model
/// names its errors where they are not the conventional ones.
pub fn errors(finding: &Finding, plan: &PlanWords) -> Option<Doubt> {
    const NAMING: [&str; 6] = ["OLS", "WLS", "GLM", "Logit", "Probit", "Poisson"];
    let model = finding.model.as_deref()?;
    let kind = model.split(' ').next()?;
    let named = model
        .rsplit_once(" (")
        .is_some_and(|(_, rest)| rest.ends_with(')'));
    (NAMING.contains(&kind) && model.contains('~') && !named && asks_for_others(plan)).then(|| {
        Doubt::deciding(
            DoubtCause::Model,
            format!(
                "The plan asks for robust or clustered standard errors, and `{}` has conventional ones (recorded as \
                 `{model}`).",
                finding.name
            ),
        )
    })
}

/// Whether a plan asks for errors that are not the conventional ones.
fn asks_for_others(plan: &PlanWords) -> bool {
    match (plan.fit.errors, ErrorKind::from_words(&plan.method)) {
        (Some(errors), _) => errors != PlannedErrors::Conventional,
        (None, Some(kind)) => kind != ErrorKind::Classical,
        (None, None) => has_word(&plan.method, "newey"),
    }
}

/// The model's own name of a coefficient against the term that it is recorded
/// under: an interaction is no main effect, and a control no predictor.
pub fn coefficient(finding: &Finding, plan: &PlanWords) -> Option<Doubt> {
    let own = finding.coefficient.as_deref()?;
    if matches(&finding.name, own).is_some() {
        return None;
    }
    let control = plan
        .leading(&plan.controls)
        .into_iter()
        .any(|column| column.eq_ignore_ascii_case(own));
    let crossed = is_interaction(own) != is_interaction(&finding.name);
    (control || crossed).then(|| {
        Doubt::deciding(
            DoubtCause::Term,
            format!(
                "The result named `{}` is the coefficient `{own}` of its model{}.",
                finding.name,
                if control {
                    ", which the plan controls for"
                } else {
                    ""
                }
            ),
        )
    })
}

/// A focal term that the plan names among its controls and not among its predictors.
pub fn focal_term(criterion: &Criterion, plan: &PlanWords) -> Option<Doubt> {
    let term = identifiers(&criterion.focal_term);
    let [term] = term.as_slice() else {
        return None;
    };
    let controlled = items(&plan.controls).into_iter().any(|item| {
        identifiers(item)
            .first()
            .is_some_and(|first| first.eq_ignore_ascii_case(term))
    });
    (controlled && !plan.predictors.trim().is_empty() && !has_word(&plan.predictors, term)).then(|| {
        Doubt::deciding(
            DoubtCause::Term,
            format!(
                "The rule is about `{term}`, which the plan names among its control variables and not among its \
                 predictors."
            ),
        )
    })
}

fn names(columns: &[&str]) -> String {
    quoted(columns.iter().take(4).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::data_table::DataTable;
    use crate::domain::finding::Direction;
    use crate::domain::fit_details::FitDetails;

    fn plan() -> PlanWords {
        PlanWords {
            outcome: "violent (violent crimes per 100,000 people)".to_owned(),
            predictors: "poverty (percentage below the line)".to_owned(),
            controls: "urban (percentage in cities); single (percentage of households)".to_owned(),
            method: String::new(),
            fit: FitDetails::default(),
            rows: String::new(),
            all: "OLS: violent = b0 + b1 poverty + b2 urban + b3 single + e. Rows 2009.".to_owned(),
            tables: vec![DataTable {
                columns: [
                    "state", "violent", "murder", "poverty", "urban", "single", "white",
                ]
                .map(str::to_owned)
                .to_vec(),
                ..DataTable::default()
            }],
        }
    }

    fn model_fit(model: &str) -> ModelFit {
        let finding = Finding {
            name: "poverty".to_owned(),
            model: Some(model.to_owned()),
            ..Finding::default()
        };
        fit(&finding, &plan())
    }

    #[test]
    fn a_model_is_held_against_the_plan() {
        assert_eq!(
            model_fit("OLS violent ~ poverty + urban + single"),
            ModelFit::Planned
        );
        assert_eq!(
            model_fit("lm log(violent) ~ scale(poverty) + C(urban) + single_c"),
            ModelFit::Planned
        );
        assert_eq!(
            model_fit("OLS violent ~ const + poverty + urban + single (HC3)"),
            ModelFit::Planned
        );
        let other = |model: &str, part: &str| match model_fit(model) {
            ModelFit::Other(what) => assert!(what.contains(part), "{what}"),
            found => panic!("{model}: {found:?}"),
        };
        other("OLS violent ~ poverty + urban", "without `single`");
        other("OLS violent ~ poverty + urban + single + white", "with `white`");
        other("OLS murder ~ poverty + urban + single", "of `murder`");
        assert_eq!(model_fit("Welch t test"), ModelFit::Unknown);
        assert_eq!(model_fit("lm violent ~ ."), ModelFit::Unknown);
        assert_eq!(model_fit("lm violent ~ poverty + ..."), ModelFit::Unknown);
    }

    #[test]
    fn a_column_beyond_the_planned_equation_is_another_model() {
        let plan = PlanWords {
            method: "OLS: violent = b0 + b1 poverty + b2 urban + b3 single + e".to_owned(),
            all: format!("{} The share white is described, not adjusted for.", plan().all),
            ..plan()
        };
        let model_fit = |model: &str| {
            let finding = Finding {
                model: Some(model.to_owned()),
                ..Finding::default()
            };
            fit(&finding, &plan)
        };
        assert_eq!(
            model_fit("OLS violent ~ poverty + urban + single"),
            ModelFit::Planned
        );
        assert!(
            matches!(model_fit("OLS violent ~ poverty + urban + single + white"), ModelFit::Other(what)
                if what == "with `white`, which the plan's equation does not have")
        );
    }

    #[test]
    fn errors_are_of_the_planned_kind() {
        let of = |model: &str, method: &str| {
            let finding = Finding {
                model: Some(model.to_owned()),
                ..Finding::default()
            };
            let plan = PlanWords {
                method: method.to_owned(),
                ..plan()
            };
            errors(&finding, &plan).is_some()
        };
        assert!(of("OLS y ~ x", "OLS with HC3 errors"));
        assert!(!of("OLS y ~ x (HC3)", "OLS with HC3 errors"));
        assert!(!of("OLS y ~ x", "conventional errors; HC3 as a check"));
        assert!(!of("lm y ~ x", "clustered by school"), "R's label has no errors");
    }

    #[test]
    fn another_coefficient_under_the_terms_name_is_seen() {
        let of = |name: &str, own: &str| {
            let finding = Finding {
                name: name.to_owned(),
                coefficient: Some(own.to_owned()),
                ..Finding::default()
            };
            coefficient(&finding, &plan()).is_some()
        };
        assert!(of("poverty", "poverty:urban") && of("poverty", "single"));
        assert!(!of("poverty", "poverty") && !of("treatment", "C(group)[T.b]"));
    }

    #[test]
    fn a_fit_of_another_kind_is_another_model() {
        let of = |model: &str, method: &str| {
            let finding = Finding {
                model: Some(model.to_owned()),
                ..Finding::default()
            };
            let plan = PlanWords {
                method: method.to_owned(),
                ..plan()
            };
            other_family(&finding, &plan)
        };
        let mixed = "MixedLM: violent ~ poverty, random intercept by state; REML";
        let found = of("OLS violent ~ poverty", mixed).unwrap();
        assert!(
            found.contains("least squares") && found.contains("random intercept"),
            "{found}"
        );
        assert!(
            of(
                "OLS wage ~ school",
                "2SLS: wage ~ school; two-stage least squares"
            )
            .is_some()
        );
        for (model, method) in [
            ("MixedLM violent ~ poverty", mixed),
            (
                "OLS violent ~ poverty + C(state)",
                "feols: violent ~ poverty | state",
            ),
            ("GLM attended ~ reminder", "Logit: attended ~ reminder"),
            ("lm violent ~ poverty", "OLS, and a logit as a check"),
            ("lm violent ~ poverty", "Bayesian logistic regression"),
            ("lm violent ~ poverty", "Difference of means"),
        ] {
            assert_eq!(of(model, method), None, "{model}; {method}");
        }
    }

    #[test]
    fn a_control_is_no_focal_term() {
        let of = |term: &str| {
            focal_term(
                &Criterion::significance(term, Direction::Positive, 0.05, true),
                &plan(),
            )
            .is_some()
        };
        assert!(of("single") && !of("poverty") && !of("poverty:single") && !of("murder"));
    }
}
