//! Whether a rule, as it is to be registered, can be computed.

use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::catalog::fault::Fault;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::finding::{Direction, Finding, Relation};
use crate::domain::rule::Rule;

const PATH: &str = "/replication_study/criterion";

/// Magnitudes beyond these bounds are input errors.
const LARGEST: f64 = 1e100;
const SMALLEST: f64 = 1e-100;

/// What keeps a rule from being registered: a level out of range, a parameter
/// that it needs or does not take, figures of the original that do not suffice.
pub fn faults(criterion: &Criterion) -> Vec<Fault> {
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
    if !rule.is_default() && !rule.has_direction() && !criterion.two_sided {
        faults.push(fault(
            "two_sided",
            format!("{rule} does not ask for a sign, so that its test has two sides"),
            "true",
        ));
    }
    let misfits = criterion.parameters.misfits(rule).into_iter();
    faults.extend(misfits.map(|misfit| {
        fault(
            format!("parameters/{}", misfit.name),
            misfit.problem,
            misfit.expected,
        )
    }));
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
    if !rule.is_default() && criterion.parameters.unit.trim().is_empty() {
        faults.push(fault(
            "parameters/unit",
            format!("{rule} compares sizes, and their unit is not named"),
            "the unit or scale in which the original gives its estimate and the code will print its own",
        ));
    }
    if rule.needs_original() {
        faults.extend(original(criterion));
    }
    faults
}

/// Where a rule is not the one that the study fixes, or the default one, and
/// the plan does not say why.
pub fn disagreement(criterion: &Criterion, fixed: Option<&FixedCriterion>) -> Option<Fault> {
    if !criterion.reason.trim().is_empty() {
        return None;
    }
    let Some(fixed) = fixed else {
        return (!criterion.rule.is_default()).then(|| {
            fault(
                "reason",
                format!("the study fixes no rule, and the plan takes {}", criterion.rule),
                "the rule significance_and_direction, or the reason for another one, which the paper's claim gives",
            )
        });
    };
    let differences = fixed.differences(criterion);
    if differences.is_empty() {
        return None;
    }
    let differences: Vec<String> = differences
        .into_iter()
        .map(|(name, fixed, given)| format!("`{name}` {fixed}, not {given}"))
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

fn original(criterion: &Criterion) -> Vec<Fault> {
    let rule = criterion.rule;
    let estimate = criterion.original.as_ref().and_then(|original| original.estimate);
    let (Some(original), Some(estimate)) = (
        &criterion.original,
        estimate.filter(|estimate| estimate.abs() <= LARGEST),
    ) else {
        return vec![fault(
            "original/estimate",
            format!("{rule} is computed from the original's estimate, and none is given"),
            "the published estimate as a number; where the paper gives none, the rule significance_and_direction",
        )];
    };
    let mut faults = Vec::new();
    match standard_error(original, estimate) {
        None => faults.push(fault(
            "original/standard_error",
            format!("{rule} cannot be computed without the precision of the original's estimate"),
            "its standard error, or its confidence interval, or its exact p-value; where the paper gives none \
             of them, a rule that needs none: significance_and_direction or equivalence",
        )),
        // The ratio has bounds only where the divisor is not zero, by the same test.
        Some(error) if rule == Rule::EffectRatio => {
            let level = criterion.parameters.level.unwrap_or(1.0 - criterion.two_sided_alpha());
            let critical = Normal::standard().inverse_cdf(0.5 + level / 2.0);
            if estimate.abs() / error <= critical {
                faults.push(fault(
                    "original/estimate",
                    format!(
                        "the original's estimate {estimate} does not differ from zero at level {level}, so a \
                         ratio to it has no bounds and {rule} could never decide"
                    ),
                    "another rule, or a lower level",
                ));
            }
        }
        Some(_) => {}
    }
    if rule.has_direction() && Direction::of(estimate) != Some(criterion.direction) {
        faults.push(fault(
            "original/estimate",
            format!(
                "the original's estimate {estimate} does not have the {} sign that `direction` gives the claim",
                criterion.direction
            ),
            "the estimate as the replication's code will be signed, and the direction that goes with it",
        ));
    }
    faults
}

/// The original's standard error: as given, else from its interval, else from
/// its exact p-value.
fn standard_error(original: &Finding, estimate: f64) -> Option<f64> {
    let quantile = |probability: f64| Normal::standard().inverse_cdf(probability);
    let usable = |error: &f64| (SMALLEST..=LARGEST).contains(error);
    let share = |value: f64| value > 0.0 && value < 1.0;
    if let Some(error) = original.standard_error {
        return Some(error).filter(usable);
    }
    let interval = original.interval.filter(|interval| share(interval.level));
    let by_interval = interval
        .map(|interval| (interval.upper - interval.lower) / (2.0 * quantile(0.5 + interval.level / 2.0)));
    let p_value = original
        .p_value
        .filter(|p| p.relation == Relation::Equal && share(p.value));
    let by_p = p_value.map(|p| estimate.abs() / quantile(1.0 - p.value / 2.0));
    by_interval.filter(usable).or(by_p.filter(usable))
}

fn fault(place: impl AsRef<str>, problem: String, expected: &str) -> Fault {
    Fault::new(format!("{PATH}/{}", place.as_ref()), problem, expected)
}
