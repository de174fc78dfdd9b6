//! Checks of a preregistered rule before it is registered.

use crate::catalog::fault::AnswerFault;
use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::{Condition, ConditionMisfit, Test};
use crate::domain::criterion::{Criterion, FixedCriterion, FurtherCondition};
use crate::domain::finding::{Direction, Finding};
use crate::domain::quantity::Quantity;
use crate::domain::rule::Rule;
use crate::domain::scale::Scale;
use crate::domain::study_kind::Observations;
use crate::statistics::distributions::normal_quantile;
use crate::statistics::precision::FindingPrecision as _;
use crate::statistics::precision::{LARGEST, usable_df, usable_error};
use crate::verdict::one_scale::OneScale;

const PATH: &str = "/replication_study/criterion";
const A_RATIO: &str = "a ratio above 0 that is not 1, such as 1.25, which is the same band as 0.8; or the scale log_ratio \
     with its logarithm";
const NO_SIDE: &str = "a test without a sign, whose direction an order or a contrast gives, has no side, so \
     that its test has two";

/// What keeps a rule from being registered: a level out of range, a claim that it
/// cannot decide, a parameter that it needs or does not take, figures of the
/// original that do not suffice.
pub fn faults(criterion: &Criterion) -> Vec<AnswerFault> {
    let mut faults = Vec::new();
    let rule = criterion.rule;
    if !(criterion.alpha > 0.0 && criterion.alpha < 0.5) {
        faults.push(fault(
            "alpha",
            format!("the level {} is not usable", criterion.alpha),
            "a number above 0 and below 0.5, such as 0.05",
        ));
        return faults;
    }
    let pointed = rule.is_default() && (criterion.greater.len() > 1 || criterion.contrast.is_some());
    let unclaimed = criterion.direction.misfit(rule, criterion.two_sided);
    if let Some(misfit) = unclaimed.filter(|_| !pointed) {
        // What a rule that cannot decide would need helps nobody.
        faults.push(fault(misfit.name, misfit.problem, misfit.expected));
        if misfit.name == "rule" {
            return faults;
        }
    } else if pointed && !criterion.two_sided && sideless(criterion.direction, criterion.scale) {
        faults.push(fault("two_sided", NO_SIDE.to_owned(), "true"));
    } else if !rule.is_default() && !rule.has_direction() && !criterion.two_sided {
        faults.push(fault(
            "two_sided",
            format!("{rule} does not ask for a sign, so that its test has two sides"),
            "true",
        ));
    }
    let sesoi = (rule == Rule::Equivalence).then_some(criterion.parameters.sesoi);
    let sesoi = no_ratio(criterion.scale, sesoi.flatten());
    let misfits = criterion.parameters.misfits(rule).into_iter();
    let misfits = misfits.filter(|misfit| sesoi.is_none() || misfit.name != "sesoi");
    faults.extend(misfits.map(|misfit| {
        fault(
            format!("parameters/{}", misfit.name),
            misfit.problem,
            misfit.expected,
        )
    }));
    faults.extend(sesoi.map(|problem| fault("parameters/sesoi", problem, A_RATIO)));
    if rule == Rule::SmallTelescopes
        && let Some(power) = criterion.parameters.power
        && power <= criterion.two_sided_alpha() / 2.0
    {
        faults.push(fault(
            "parameters/power",
            format!("a power of {power} is not above half the level, so no positive effect has it"),
            "a number between the level and 1, such as 0.33",
        ));
    }
    if criterion.is_on_same_observations() && rule.assumes_independence() {
        faults.push(fault(
            "rule",
            format!("{rule} takes two independent samples, and the observations are the original's own"),
            "numerical_agreement, with the `quantities` that must agree",
        ));
    }
    faults.extend(shared_observations(criterion));
    if rule != Rule::NumericalAgreement && !criterion.quantities.is_empty() {
        faults.push(fault(
            "quantities",
            format!("{rule} compares no quantities one by one"),
            "it left out, or the rule numerical_agreement",
        ));
    }
    let by_size = !rule.is_default() && rule != Rule::NumericalAgreement;
    if by_size && criterion.parameters.unit.trim().is_empty() {
        faults.push(fault(
            "parameters/unit",
            format!("{rule} compares sizes, and their unit is not named"),
            "the unit or scale in which the original gives its estimate and the code will print its own",
        ));
    }
    if rule.needs_original() {
        faults.extend(original(criterion));
    }
    if rule.is_default() && criterion.test == Test::Equivalence {
        faults.push(fault(
            "test",
            "equivalence of the focal term is a rule of its own".to_owned(),
            "`rule` equivalence, with its `sesoi` under `parameters`",
        ));
    } else if rule.is_default() {
        // Level and direction of the focal condition are looked at above.
        let own = unfit(&criterion.condition()).into_iter();
        let own = own.filter(|misfit| !matches!(misfit.key, "level" | "sign" | "sides"));
        faults.extend(own.map(|misfit| {
            let key = if misfit.key == "term" {
                "focal_term"
            } else {
                misfit.key
            };
            fault(key, misfit.problem, misfit.expected)
        }));
    }
    for FurtherCondition {
        key: list,
        at,
        condition,
    } in criterion.further()
    {
        let pointed = condition.greater.len() > 1 || condition.contrast.is_some();
        if pointed && condition.sides == 1 && sideless(condition.sign, condition.scale) {
            faults.push(fault(format!("{list}/{at}/sides"), NO_SIDE.to_owned(), "2"));
        }
        faults.extend(unfit(condition).into_iter().map(|misfit| {
            fault(
                format!("{list}/{at}/{}", misfit.key),
                misfit.problem,
                misfit.expected,
            )
        }));
    }
    faults
}

/// What keeps a condition from being tested, a bound that is no ratio included.
fn unfit(condition: &Condition) -> Vec<ConditionMisfit> {
    let (key, bound) = match condition.test {
        Test::Equivalence => ("sesoi", condition.sesoi),
        Test::NonInferiority => ("margin", condition.margin),
        _ => return condition.misfits(),
    };
    let mut found = condition.misfits();
    if let Some(problem) = no_ratio(condition.scale, bound) {
        found.retain(|other| other.key != key);
        found.push(ConditionMisfit {
            key,
            problem,
            expected: A_RATIO,
        });
    }
    found
}

/// Why a bound on the scale ratio, which is compared by its logarithm, bounds nothing.
fn no_ratio(scale: Option<Scale>, bound: Option<f64>) -> Option<String> {
    let bound = bound.filter(|bound| scale == Some(Scale::Ratio) && (*bound <= 0.0 || *bound == 1.0))?;
    Some(format!(
        "{bound} is no bound on the scale ratio, where no effect is 1 and a bound is a ratio as well"
    ))
}

/// Whether an order or a contrast gives the direction to a test that has none.
fn sideless(claimed: ClaimedEffect, scale: Option<Scale>) -> bool {
    claimed == ClaimedEffect::NoEffect || scale == Some(Scale::Unsigned)
}

/// Where a rule is not the one that the study fixes, or the default one, and
/// the plan does not say why.
pub fn disagreement(criterion: &Criterion, fixed: Option<&FixedCriterion>) -> Option<AnswerFault> {
    if !criterion.reason.trim().is_empty() {
        return None;
    }
    let Some(fixed) = fixed else {
        let expected = if criterion.direction == ClaimedEffect::NoEffect {
            "the reason for this rule and its numbers, such as where the `sesoi` is taken from"
        } else {
            "the rule significance_and_direction, or the reason for another one, which the paper's claim gives"
        };
        return (!criterion.rule.is_default()).then(|| {
            let problem = format!("the study fixes no rule, and the plan takes {}", criterion.rule);
            fault("reason", problem, expected)
        });
    };
    let differences = fixed.differences(criterion);
    if differences.is_empty() {
        return (!criterion.any.is_empty()).then(|| {
            fault(
                "reason",
                "alternatives to the focal condition make it easier to meet, and no reason is given"
                    .to_owned(),
                "the condition that the claim is about, or the reason for alternatives to it",
            )
        });
    }
    let differences: Vec<String> = differences
        .into_iter()
        .map(|one| format!("`{}` {}, not {}", one.part, one.fixed, one.given))
        .collect();
    Some(fault(
        "reason",
        format!(
            "the study fixes the criterion's {}, and no reason is given",
            differences.join(", ")
        ),
        "the study's rule as it is fixed, or the reason for departing from it",
    ))
}

fn original(criterion: &Criterion) -> Vec<AnswerFault> {
    let rule = criterion.rule;
    let estimate = criterion.original.as_ref().and_then(|original| original.estimate);
    let (Some(original), Some(estimate)) = (
        &criterion.original,
        estimate.filter(|estimate| estimate.abs() <= LARGEST),
    ) else {
        return vec![fault(
            "original/estimate",
            format!("{rule} is computed from the original's estimate, and none is given"),
            if criterion.direction == ClaimedEffect::NoEffect {
                "the published estimate as a number; where the paper gives none, the rule equivalence"
            } else {
                "the published estimate as a number; where the paper gives none, the rule significance_and_direction"
            },
        )];
    };
    let mut faults = Vec::new();
    if let Some(df) = original.df.filter(|df| !usable_df(*df)) {
        faults.push(fault(
            "original/df",
            format!("{df} is no number of degrees of freedom"),
            "a finite number above zero as published, or it left out where the test is not by t",
        ));
        return faults;
    }
    if rule == Rule::NumericalAgreement {
        let missing = |one: &&Quantity| !is_given(original, **one);
        faults.extend(criterion.quantities.iter().find(missing).map(|one| {
            fault(
                "quantities",
                format!("the {one} is to agree, and `original` does not give it"),
                "the published number in `original`, or the quantity left out",
            )
        }));
        return faults;
    }
    // A ratio is compared as its logarithm, as the criteria do it.
    let moved = OneScale::new(Some(original), None, criterion.scale).original;
    let published = estimate;
    let Some((moved, estimate)) = moved.and_then(|moved| moved.estimate.map(|estimate| (moved, estimate)))
    else {
        faults.push(fault(
            "original/estimate",
            format!("{published} cannot be a ratio, and `scale` says that it is one"),
            "the published ratio, which is above zero, or the scale of the estimate that is given",
        ));
        return faults;
    };
    let error = moved.precision().map(|(error, _)| error);
    match error.filter(|error| usable_error(*error)) {
        None => faults.push(fault(
            "original/standard_error",
            format!("{rule} cannot be computed without the precision of the original's estimate"),
            "its standard error, or its confidence interval, or its exact p-value; where the paper gives none \
             of them, a rule that needs none: significance_and_direction or equivalence",
        )),
        // The ratio has bounds only where the divisor is not zero, by the same test.
        Some(error) if rule == Rule::EffectRatio => {
            let level = criterion.parameters.level.unwrap_or(1.0 - criterion.two_sided_alpha());
            let critical = normal_quantile(0.5 + level / 2.0);
            if estimate.abs() / error <= critical {
                faults.push(fault(
                    "original/estimate",
                    format!(
                        "the original's estimate {published} does not differ from zero at level {level}, so a \
                         ratio to it has no bounds and {rule} could never decide"
                    ),
                    "another rule, or a lower level",
                ));
            }
        }
        Some(_) => {}
    }
    if rule.compares_correlations() && original.df.is_none() && original.n.is_none_or(|n| n == 0) {
        faults.push(fault(
            "original/df",
            format!(
                "{rule} compares correlations, and that of the original cannot be taken from its test without \
                 its degrees of freedom or its number of observations"
            ),
            "`df` or `n` as published; where the paper gives neither, a rule that needs none of them",
        ));
    }
    if rule.has_direction() && Direction::from_value(estimate) != criterion.direction.sign() {
        faults.push(fault(
            "original/estimate",
            format!(
                "the original's estimate {published} does not have the {} sign that `direction` gives the claim",
                criterion.direction
            ),
            "the estimate as the replication's code will be signed, and the direction that goes with it",
        ));
    }
    faults
}

/// Whether the original's figures hold a quantity.
fn is_given(original: &Finding, quantity: Quantity) -> bool {
    match quantity {
        Quantity::Estimate => original.estimate.is_some(),
        Quantity::StandardError => original.standard_error.is_some(),
        Quantity::Interval => original.interval.is_some(),
        Quantity::Statistic => original.statistic.is_some(),
        Quantity::PValue => original.p_value.is_some(),
        Quantity::SampleSize => original.n.is_some(),
    }
}

/// A count of shared observations where it says nothing.
fn shared_observations(criterion: &Criterion) -> Option<AnswerFault> {
    let shared = criterion.shared_observations?;
    (criterion.observations != Some(Observations::PartlySame)).then(|| {
        fault(
            "shared_observations",
            format!("{shared} observations are called the original's, and `observations` is not partly_same"),
            "it left out, or `observations` partly_same",
        )
    })
}

/// Observations that the study calls otherwise; no reason makes them others.
pub fn other_observations(criterion: &Criterion, fixed: Option<&FixedCriterion>) -> Option<AnswerFault> {
    let fixed = fixed?.observations?;
    let given = criterion.observations.filter(|given| *given != fixed)?;
    Some(fault(
        "observations",
        format!("the plan says {given}, and the study's files say {fixed}"),
        "it left out: the study's files decide",
    ))
}

fn fault(place: impl AsRef<str>, problem: String, expected: &str) -> AnswerFault {
    AnswerFault::new(format!("{PATH}/{}", place.as_ref()), problem, expected)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The faults of a criterion on `x` with what is given over it, as place and problem.
    fn faults_over(given: Value) -> Vec<(String, String)> {
        let mut whole = json!({"focal_term": "x", "direction": "positive", "alpha": 0.05, "two_sided": true});
        for (key, value) in given.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let criterion = serde_json::from_value(whole).unwrap();
        let place = |fault: &AnswerFault| fault.path.strip_prefix(PATH).unwrap().to_owned();
        faults(&criterion)
            .into_iter()
            .map(|fault| (place(&fault), fault.problem))
            .collect()
    }

    #[test]
    fn a_test_without_a_sign_has_two_sides() {
        let order = |more: Value| {
            let mut plan = json!({"direction": "none", "greater": ["a", "b"], "two_sided": false});
            for (key, value) in more.as_object().unwrap() {
                plan[key] = value.clone();
            }
            faults_over(plan)
        };
        for refused in [
            json!({}),
            json!({"scale": "unsigned"}),
            json!({"scale": "unsigned", "direction": "positive"}),
        ] {
            let faults = order(refused);
            assert_eq!(faults, [("/two_sided".to_owned(), NO_SIDE.to_owned())]);
        }
        // An interaction has a sign and a pattern.
        assert_eq!(order(json!({"direction": "positive"})), []);
        assert_eq!(order(json!({"two_sided": true})), []);
        let further = faults_over(json!({"all": [{"term": "y", "greater": ["a", "b"], "sides": 1}]}));
        assert_eq!(further, [("/all/0/sides".to_owned(), NO_SIDE.to_owned())]);
    }

    #[test]
    fn a_bound_on_ratios_is_a_ratio() {
        let rule = |scale: &str, sesoi: f64| {
            faults_over(json!({"rule": "equivalence", "direction": "none", "scale": scale,
                "parameters": {"sesoi": sesoi, "unit": "odds ratio"}}))
        };
        let margin = |scale: &str, margin: f64| {
            faults_over(json!({"test": "non_inferiority", "scale": scale, "margin": margin}))
        };
        let condition = |scale: &str, sesoi: f64| {
            faults_over(
                json!({"all": [{"term": "y", "test": "equivalence", "scale": scale, "sesoi": sesoi}]}),
            )
        };
        for bound in [1.25, 0.8] {
            for scale in ["ratio", "log_ratio"] {
                assert_eq!(rule(scale, bound), []);
                assert_eq!(margin(scale, bound), []);
                assert_eq!(condition(scale, bound), []);
            }
        }
        for bound in [1.0, 0.0, -0.2] {
            let problem = no_ratio(Some(Scale::Ratio), Some(bound)).unwrap();
            for (place, faults) in [
                ("/parameters/sesoi", rule("ratio", bound)),
                ("/margin", margin("ratio", bound)),
                ("/all/0/sesoi", condition("ratio", bound)),
            ] {
                assert_eq!(faults, [(place.to_owned(), problem.clone())]);
            }
        }
        assert_eq!(rule("log_ratio", 1.0), []);
        assert_eq!(margin("difference", 1.0), []);
    }
}
