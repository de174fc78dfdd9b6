//! A recorded result against the planned model, fitted again.

use crate::domain::finding::Finding;
use crate::domain::refit::Refit;
use crate::verdict::figure::figure;

use super::answer::RefitAnswer;
use super::candidate::Candidate;
use super::errors::ErrorKind;
use super::family::Family;
use super::planned::PlannedRefit;
use super::recorded_figures::RecordedFigures;

/// The result that a refit is compared with.
#[derive(Debug, Clone, Copy)]
pub struct RecordedResult<'a> {
    pub finding: &'a Finding,
    /// The focal term of the plan.
    pub term: &'a str,
    /// The level of a two-sided test that decides, if a test decides.
    pub level: Option<f64>,
    /// Rows that the plan expects.
    pub expected: Option<u64>,
}

/// How far two programs may be apart that fit the same model: the estimate in standard errors, the
/// error relatively. Ten times and more what R, statsmodels and linearmodels differ by (tests/refits/oracles.py).
fn tolerance(family: Family) -> (f64, f64) {
    match family {
        Family::Linear | Family::Iv | Family::Absorbed => (1e-4, 1e-4),
        Family::Logit | Family::Probit | Family::Poisson | Family::Cox => (5e-3, 2e-3),
        Family::Multinomial => (1e-2, 2e-3),
        Family::NegativeBinomial | Family::RandomIntercept => (2e-2, 1e-2),
    }
}

/// How far a program whose optimiser stopped early may be off, with no other conclusion.
const STOPPED_EARLY: (f64, f64) = (0.1, 0.05);
/// The largest relative difference of two errors of one family in measured data.
const CORRECTIONS: f64 = 0.15;

/// Compares a recorded result with the fits of the planned model.
pub fn compare(model: &PlannedRefit, answer: &RefitAnswer, result: RecordedResult<'_>) -> Refit {
    let not_made = |why: String| Refit::NotMade { why };
    if let Some(error) = &answer.error {
        return not_made(error.trim_end_matches('.').to_owned());
    }
    if let Some(why) = other_rows(answer, &result) {
        return not_made(why);
    }
    let columns = model.equation.columns();
    let candidates = Candidate::of_term(&answer.fits, result.term, &columns);
    let kind = model.errors.unwrap_or(ErrorKind::Classical);
    let mut named: Vec<&Candidate<'_>> = candidates.iter().filter(|one| one.fit.kind == kind).collect();
    // Of errors that are not computed here the estimate alone can be compared.
    let has_errors = model.has_known_errors && !named.is_empty();
    if named.is_empty() {
        named = candidates.iter().collect();
    }
    let Some(recorded) = RecordedFigures::new(result.finding, result.level, has_errors) else {
        return not_made("no estimate was recorded".to_owned());
    };
    let Some(nearest) = nearest(&named, &recorded) else {
        return not_made(format!("the model gives `{}` no finite estimate", result.term));
    };
    let close = tolerance(model.family);
    let is_near = |recorded: &RecordedFigures, one: &Candidate<'_>, (estimate, error): (f64, f64)| {
        recorded.has_estimate(one, estimate) && recorded.has_error(one, error)
    };
    let equal = |one: &&Candidate<'_>, within| is_near(&recorded, one, within);
    let agrees = |one: &Candidate<'_>, note: Option<String>| Refit::Agrees {
        fit: one.numbers(model, answer.n),
        is_whole: recorded.error.is_some() && !one.is_contrast(),
        note,
    };
    let conclusion = |one: &Candidate<'_>| result.level.map(|level| one.is_significant(level));
    // Digits that were rounded away may not carry a result over the level.
    let exact = recorded.unrounded();
    let keeps = |one: &Candidate<'_>| {
        recorded
            .is_significant
            .is_none_or(|own| Some(own) == conclusion(one))
    };
    let is_same = |one: &&&Candidate<'_>| equal(one, close) && (is_near(&exact, one, close) || keeps(one));
    if let Some(one) = named.iter().find(is_same) {
        return agrees(one, None);
    }
    let is_multiple = |one: &&&Candidate<'_>| {
        recorded.is_in_other_units(one, close.1) && (exact.is_in_other_units(one, close.1) || keeps(one))
    };
    if let Some(one) = named.iter().find(is_multiple) {
        return agrees(
            one,
            Some("It is in other units: estimate and error are a multiple of the fitted ones.".to_owned()),
        );
    }
    let own = recorded.error.map(|error| Candidate {
        estimate: recorded.estimate,
        error,
        ..*nearest
    });
    let same_conclusion = own.as_ref().is_none_or(|own| {
        let side = |one: &Candidate<'_>| one.estimate > 0.0;
        conclusion(own) == conclusion(nearest) && side(own) == side(nearest)
    });
    if same_conclusion && equal(&nearest, STOPPED_EARLY) {
        return agrees(
            nearest,
            Some("Estimate or error are off by a little, as by an optimiser that stopped early.".to_owned()),
        );
    }
    let corrected = named.iter().find(|one| equal(one, (close.0, CORRECTIONS)));
    if let Some(one) = corrected.filter(|_| same_conclusion && recorded.error.is_some()) {
        return agrees(
            one,
            Some(
                "The error differs from the fitted one as a small-sample correction may explain.".to_owned(),
            ),
        );
    }
    let other_kind = candidates.iter().find(|one| equal(one, close));
    let far = recorded
        .error
        .is_some_and(|error| (error / nearest.error - 1.0).abs() > CORRECTIONS);
    let decides = match other_kind {
        // The estimate is right, and the error is one that the plan does not name.
        Some(_) => !same_conclusion || (far && model.errors.is_some()),
        None => true,
    };
    Refit::Differs {
        detail: detail(model, answer, &result, nearest, &recorded, other_kind),
        fit: nearest.numbers(model, answer.n),
        decides,
    }
}

/// The candidate that comes nearest to the recorded result.
fn nearest<'a, 'b>(named: &[&'a Candidate<'b>], recorded: &RecordedFigures) -> Option<&'a Candidate<'b>> {
    let distance = |one: &Candidate<'_>| {
        let estimate = (recorded.estimate - one.estimate).abs() / one.error;
        let error = recorded.error.map_or(0.0, |error| (error / one.error).ln().abs());
        estimate + error
    };
    named
        .iter()
        .copied()
        .min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

/// Why the rows of the plan are not those that were fitted.
fn other_rows(answer: &RefitAnswer, result: &RecordedResult<'_>) -> Option<String> {
    // What estimators leave out by themselves may be counted or not.
    let apart = answer.dropped.singletons + answer.dropped.separated;
    let is_fitted = |rows: u64| rows.abs_diff(answer.n) <= apart;
    let named = match (result.finding.n, result.expected) {
        (Some(rows), _) if is_fitted(rows) => return None,
        (_, Some(rows)) if is_fitted(rows) => return None,
        (None, None) => return None,
        (_, Some(rows)) => format!("the plan expects {rows}"),
        (Some(rows), None) => format!("the result is of {rows}"),
    };
    Some(format!(
        "{} rows of the data have a value in every column of the planned model, and {named}",
        answer.n
    ))
}

fn detail(
    model: &PlannedRefit,
    answer: &RefitAnswer,
    result: &RecordedResult<'_>,
    nearest: &Candidate<'_>,
    recorded: &RecordedFigures,
    other_kind: Option<&Candidate<'_>>,
) -> String {
    let with_error = |estimate: f64, error: Option<f64>| {
        let error = error.map(|error| format!(" (SE {})", figure(error)));
        format!("{}{}", figure(estimate), error.unwrap_or_default())
    };
    let numbers = nearest.numbers(model, answer.n);
    let kind = other_kind.map(|one| format!(", which has {} errors", one.numbers(model, answer.n).errors));
    format!(
        "the planned model, fitted again on {} rows of the data ({}, {} errors), gives `{}` {}; the analysis recorded {}{}",
        answer.n,
        numbers.model,
        numbers.errors,
        result.term,
        with_error(nearest.estimate, Some(nearest.error)),
        with_error(recorded.estimate, recorded.error),
        kind.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::scale::Scale;
    use crate::verdict::refit::planned::{PlanTexts, planned};

    fn model(models: &str) -> PlannedRefit {
        let plan = PlanTexts {
            models,
            ..PlanTexts::default()
        };
        let columns = ["attended", "reminder", "age", "clinic"];
        planned(plan, "reminder", &|name| columns.contains(&name)).unwrap()
    }

    fn answer() -> RefitAnswer {
        serde_json::from_value(serde_json::json!({
            "n": 573,
            "fits": [
                {"kind": "classical", "member": "observed", "coefficients": {"reminder": [0.3348, 0.1807], "age": [0.01, 0.005]}},
                {"kind": "robust", "member": "HC0", "coefficients": {"reminder": [0.3348, 0.1600], "age": [0.01, 0.005]}},
                {"kind": "clustered", "member": "CR0(clinic)", "coefficients": {"reminder": [0.3348, 0.2300], "age": [0.01, 0.005]}}
            ]
        }))
        .unwrap()
    }

    fn recorded(estimate: f64, error: f64, models: &str) -> Refit {
        let finding = Finding {
            name: "reminder".to_owned(),
            estimate: Some(estimate),
            standard_error: Some(error),
            n: Some(573),
            scale: Some(Scale::LogRatio),
            ..Finding::default()
        };
        compared(&finding, models, &answer(), Some(573))
    }

    const LOGIT: &str = "Logit: attended ~ reminder + age";

    /// A finding, compared with a planned model and with fits of it.
    fn compared(finding: &Finding, models: &str, answer: &RefitAnswer, expected: Option<u64>) -> Refit {
        let result = RecordedResult {
            finding,
            term: "reminder",
            level: Some(0.05),
            expected,
        };
        compare(&model(models), answer, result)
    }

    fn decides(refit: &Refit) -> Option<bool> {
        match refit {
            Refit::Differs { decides, .. } => Some(*decides),
            _ => None,
        }
    }

    #[test]
    fn the_same_numbers_agree_also_when_rounded_or_in_other_units() {
        for (estimate, error) in [
            (0.334_812_345_678_9, 0.180_712_345_678_9),
            (0.33, 0.18),
            (3.348, 1.807),
        ] {
            let refit = recorded(estimate, error, LOGIT);
            assert!(matches!(refit, Refit::Agrees { .. }), "{refit:?}");
        }
    }

    #[test]
    fn another_estimate_a_smaller_error_and_a_turned_sign_decide() {
        for (estimate, error) in [
            (0.390_859_123_456_78, 0.182_412_345_678_9),
            (0.334_812_345_678_9, 0.168_012_345_678_9),
            (-0.334_812_345_678_9, 0.180_712_345_678_9),
            (0.334_812_345_678_9, 0.160_012_345_678_9),
        ] {
            let refit = recorded(estimate, error, LOGIT);
            assert_eq!(decides(&refit), Some(true), "{refit:?}");
        }
    }

    #[test]
    fn errors_that_the_plan_does_not_name_decide_if_the_conclusion_or_much_depends_on_them() {
        let clustered = "Logit: attended ~ reminder + age, errors clustered by clinic";
        assert!(matches!(
            recorded(0.334_812_345_678_9, 0.230_012_345_678_9, clustered),
            Refit::Agrees { .. }
        ));
        assert_eq!(
            decides(&recorded(0.334_812_345_678_9, 0.180_712_345_678_9, clustered)),
            Some(true)
        );
        // The plan names no kind, and neither error is significant.
        assert_eq!(
            decides(&recorded(0.334_812_345_678_9, 0.230_012_345_678_9, LOGIT)),
            Some(false)
        );
    }

    #[test]
    fn rounding_does_not_carry_a_result_over_the_level() {
        let of = |estimate: f64, error: f64| {
            let mut answer = answer();
            answer.fits[0]
                .coefficients
                .insert("reminder".to_owned(), (0.36, 0.19));
            let finding = Finding {
                estimate: Some(estimate),
                standard_error: Some(error),
                ..Finding::default()
            };
            compared(&finding, LOGIT, &answer, None)
        };
        assert!(matches!(of(0.4, 0.25), Refit::Differs { .. }));
        assert_eq!(
            decides(&of(0.4, 0.2)),
            Some(true),
            "z is 2.0, and 1.89 by the fit"
        );
        assert!(matches!(of(0.36, 0.19), Refit::Agrees { .. }));
    }

    #[test]
    fn errors_that_are_not_computed_here_are_not_held_against_a_result() {
        for models in [
            "Logit: attended ~ reminder + age, errors clustered by district",
            "Logit: attended ~ reminder + age, Newey-West errors",
        ] {
            let mut answer = answer();
            answer.fits.retain(|fit| fit.kind != ErrorKind::Clustered);
            let finding = Finding {
                estimate: Some(0.334_8),
                standard_error: Some(0.31),
                ..Finding::default()
            };
            let refit = compared(&finding, models, &answer, None);
            assert!(
                matches!(refit, Refit::Agrees { is_whole: false, .. }),
                "{refit:?}"
            );
            let other = Finding {
                estimate: Some(0.41),
                ..finding.clone()
            };
            let refit = compared(&other, models, &answer, None);
            assert_eq!(decides(&refit), Some(true), "{refit:?}");
        }
    }

    #[test]
    fn a_contrast_of_levels_may_have_either_sign_and_settles_nothing() {
        let mut answer = answer();
        answer.fits.truncate(1);
        let both = [("reminder[yes/no]", 0.3348), ("reminder[no/yes]", -0.3348)];
        answer.fits[0].coefficients = both
            .map(|(name, estimate)| (name.to_owned(), (estimate, 0.1807)))
            .into();
        let finding = Finding {
            estimate: Some(-0.3348),
            standard_error: Some(0.1807),
            ..Finding::default()
        };
        let refit = compared(&finding, LOGIT, &answer, None);
        assert!(
            matches!(refit, Refit::Agrees { is_whole: false, .. }),
            "{refit:?}"
        );
    }

    #[test]
    fn a_ratio_is_compared_as_its_logarithm() {
        let finding = Finding {
            name: "reminder".to_owned(),
            estimate: Some(1.40),
            interval: Some(crate::domain::finding::Interval {
                lower: 0.98,
                upper: 1.99,
                level: 0.95,
            }),
            scale: Some(Scale::Ratio),
            ..Finding::default()
        };
        assert!(matches!(
            compared(&finding, LOGIT, &answer(), None),
            Refit::Agrees { .. }
        ));
    }

    #[test]
    fn a_plan_of_fewer_rows_is_not_fitted_on_all() {
        let finding = Finding {
            estimate: Some(0.5),
            n: Some(400),
            ..Finding::default()
        };
        let Refit::NotMade { why } = compared(&finding, LOGIT, &answer(), Some(400)) else {
            panic!("it was compared");
        };
        assert!(why.contains("573 rows") && why.contains("expects 400"), "{why}");
    }
}
