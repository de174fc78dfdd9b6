//! The variants of an analysis beside its main result. They decide nothing.

use serde::{Deserialize, Serialize};

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::Criterion;
use crate::domain::finding::{Direction, Finding, Relation};
use crate::domain::scale::Scale;
use crate::domain::variant::Variant;
use crate::domain::verdict::Outcome;
use crate::statistics::distributions::normal_quantile;

use super::additive::additive;
use super::contrary_evidence::DataFacts;
use super::decide::{self, VerdictFacts};
use super::plan_words::PlanWords;
use super::trace::Output;

/// How far two numbers may be apart and still be the same one, relative to their size.
const SAME: f64 = 1e-9;

/// The ending of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantEnd {
    /// Every command of it succeeded.
    Ran,
    Failed,
    NotRun,
}

impl VariantEnd {
    pub fn words(self) -> &'static str {
        match self {
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::NotRun => "was not run",
        }
    }
}

/// The result of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantResult {
    pub name: String,
    pub changes: String,
    pub ended: VariantEnd,
    /// Why it gave no result, in a clause.
    pub why: Option<String>,
    /// The focal result that its code gave.
    pub finding: Option<Finding>,
    /// What the registered rule says of that result.
    pub outcome: Option<Outcome>,
}

/// The result of the rule on numbers by themselves: nothing else of a run is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleResult {
    pub outcome: Outcome,
    pub finding: Option<Finding>,
    pub reason: String,
}

/// Applies the registered rule to the numbers of one analysis; `reported` tells which
/// of several results of one name is meant.
pub fn ruled(criterion: &Criterion, [recorded, printed, reported]: [&[Finding]; 3]) -> RuleResult {
    let verdict = decide::decide(&VerdictFacts {
        criterion,
        fixed: None,
        recorded,
        printed,
        reported,
        outputs: &Output::default(),
        strict: true,
        data: &DataFacts::default(),
        // A variant is of another model than the plan's.
        plan: &PlanWords::default(),
        original: None,
        probed: &[],
        from_data: false,
        earlier: &[],
    });
    RuleResult {
        outcome: verdict.outcome,
        finding: verdict.finding,
        reason: verdict.reason,
    }
}

/// The registered rule as it is applied to a variant.
pub fn criterion_of(variant: &Variant, main: &Criterion) -> Criterion {
    let focal_term = variant.focal_term.clone();
    Criterion {
        focal_term: focal_term.unwrap_or_else(|| main.focal_term.clone()),
        ..main.clone()
    }
}

/// The axis on which the results stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantAxis {
    Estimate,
    /// The logarithm of a ratio.
    LogRatio,
    /// A test statistic without a sign.
    Statistic,
    /// An estimate in its standard errors, or the z of its p-value.
    Z,
}

impl VariantAxis {
    /// The axis's label.
    pub fn words(self) -> &'static str {
        match self {
            Self::Estimate => "estimate",
            Self::LogRatio => "logarithm of the ratio",
            Self::Statistic => "test statistic",
            Self::Z => "z: estimate ÷ its standard error",
        }
    }
}

/// All variants beside the main result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantSummary {
    pub axis: VariantAxis,
    /// The value of no effect on the axis.
    pub null: f64,
    /// Where the main result stands.
    pub main: Option<f64>,
    /// Where each variant stands, in order.
    pub values: Vec<Option<f64>>,
    /// Variants that can be compared with the main result, and those of them that are at
    /// least as extreme in the claim's direction.
    pub compared: usize,
    pub extreme: usize,
    /// What the rule says of the main result by itself.
    pub outcome: Outcome,
    /// Variants of which the rule says something, and those of them of which it says the same.
    pub judged: usize,
    pub same_outcome: usize,
    /// Whether every variant with a result has all the numbers of the main result.
    pub all_the_same: bool,
    /// What 'extreme' means here, as the end of a sentence.
    pub toward: String,
}

impl VariantSummary {
    /// The variants that `results` holds, against the main result under `criterion`.
    pub fn new(
        criterion: &Criterion,
        main: &RuleResult,
        results: &[VariantResult],
        variants: &[Variant],
    ) -> Self {
        let own_term = |name: &str| {
            let own = variants.iter().find(|variant| variant.name == name);
            own.and_then(|variant| variant.focal_term.as_ref())
                .is_some_and(|term| *term != criterion.focal_term)
        };
        let found: Vec<&Finding> = results.iter().filter_map(|one| one.finding.as_ref()).collect();
        let other_term = results
            .iter()
            .any(|one| one.finding.is_some() && own_term(&one.name));
        let all: Vec<&Finding> = main.finding.iter().chain(found.iter().copied()).collect();
        let axis = axis(criterion, &all, other_term);
        let unsigned = criterion.scale == Some(Scale::Unsigned);
        let place = |finding: &Finding| {
            place(criterion, finding, axis)
                .map(|value| if unsigned { value.abs() } else { value })
                .filter(|value| value.is_finite())
        };
        let null = match axis {
            VariantAxis::Estimate => criterion.null.unwrap_or(0.0),
            _ => 0.0,
        };
        let values: Vec<Option<f64>> = results
            .iter()
            .map(|one| one.finding.as_ref().and_then(place))
            .collect();
        let at = main.finding.as_ref().and_then(place);
        let toward = if unsigned {
            Toward::Away
        } else {
            match criterion.direction {
                ClaimedEffect::Positive => Toward::Upper,
                ClaimedEffect::Negative => Toward::Lower,
                ClaimedEffect::NoEffect => Toward::Null,
            }
        };
        let compared: Vec<f64> = match at {
            Some(_) => values.iter().copied().flatten().collect(),
            None => Vec::new(),
        };
        let is_extreme = |value: &&f64| at.is_some_and(|main| toward.reaches(**value, main, null));
        let is_again = |one: &VariantResult| {
            let pair = one.finding.as_ref().zip(main.finding.as_ref());
            pair.is_none_or(|(one, main)| is_same_result(one, main))
        };
        let judged = || results.iter().filter_map(|one| one.outcome);
        Self {
            axis,
            null,
            main: at,
            compared: compared.len(),
            extreme: compared.iter().filter(is_extreme).count(),
            outcome: main.outcome,
            judged: judged().count(),
            same_outcome: judged().filter(|outcome| *outcome == main.outcome).count(),
            all_the_same: !compared.is_empty() && results.iter().all(is_again),
            toward: toward.words().to_owned(),
            values,
        }
    }

    /// The share of variants that are at least as extreme as the main result.
    pub fn share(&self) -> Option<f64> {
        (self.compared > 0).then(|| self.extreme as f64 / self.compared as f64)
    }

    /// One line on all of them.
    pub fn line(&self, results: &[VariantResult]) -> String {
        let ran = results.iter().filter(|one| one.ended == VariantEnd::Ran).count();
        let mut line = format!("{ran} of {} ran", results.len());
        if self.compared > 0 {
            line.push_str(&format!(
                "; {} of {} at least as extreme as the main result",
                self.extreme, self.compared
            ));
        }
        if self.judged > 0 {
            line.push_str(&format!(
                "; {} of {} with the same outcome by the rule ({})",
                self.same_outcome, self.judged, self.outcome
            ));
        }
        line.push_str("; they do not decide");
        line
    }
}

/// Whether two results have all their numbers in common.
fn is_same_result(one: &Finding, other: &Finding) -> bool {
    let numbers = |finding: &Finding| {
        [
            finding.estimate,
            finding.standard_error,
            finding.statistic.as_ref().map(|statistic| statistic.value),
            finding.p_value.map(|p| p.value),
            finding.interval.map(|interval| interval.lower),
            finding.interval.map(|interval| interval.upper),
            finding.df,
            finding.n.map(|n| n as f64),
        ]
    };
    let is_same = |(one, other): (Option<f64>, Option<f64>)| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= SAME * other.abs(),
        (one, other) => one == other,
    };
    numbers(one).into_iter().zip(numbers(other)).all(is_same)
}

/// The side on which a more extreme result lies.
#[derive(Debug, Clone, Copy)]
enum Toward {
    Upper,
    Lower,
    /// Farther from no effect, on either side.
    Away,
    /// Closer to no effect.
    Null,
}

impl Toward {
    fn reaches(self, value: f64, main: f64, null: f64) -> bool {
        let slack = SAME * main.abs().max(value.abs());
        match self {
            Self::Upper => value >= main - slack,
            Self::Lower => value <= main + slack,
            Self::Away => (value - null).abs() >= (main - null).abs() - slack,
            Self::Null => (value - null).abs() <= (main - null).abs() + slack,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Upper => "as large or larger in the claimed, positive direction",
            Self::Lower => "as large or larger in the claimed, negative direction",
            Self::Away => "as large or larger in any direction",
            Self::Null => "as close or closer to no effect, which is the claim",
        }
    }
}

fn scale(criterion: &Criterion, finding: &Finding) -> Scale {
    finding.scale.or(criterion.scale).unwrap_or_default()
}

/// Estimates share an axis where all are of one term and one scale, and statistics
/// where they have the same kind and degrees of freedom.
fn axis(criterion: &Criterion, all: &[&Finding], other_term: bool) -> VariantAxis {
    let Some((first, rest)) = all.split_first() else {
        return VariantAxis::Estimate;
    };
    if criterion.scale == Some(Scale::Unsigned) {
        let kind = |finding: &Finding| {
            let statistic = finding.statistic.as_ref()?;
            Some((statistic.kind.clone(), statistic.df.clone()))
        };
        let same = kind(first).is_some() && rest.iter().all(|other| kind(other) == kind(first));
        return if same {
            VariantAxis::Statistic
        } else {
            VariantAxis::Z
        };
    }
    let same_scale = rest
        .iter()
        .all(|other| scale(criterion, other) == scale(criterion, first));
    if other_term || !same_scale || all.iter().any(|finding| finding.estimate.is_none()) {
        VariantAxis::Z
    } else if scale(criterion, first) == Scale::Ratio {
        VariantAxis::LogRatio
    } else {
        VariantAxis::Estimate
    }
}

fn place(criterion: &Criterion, finding: &Finding, axis: VariantAxis) -> Option<f64> {
    match axis {
        VariantAxis::Estimate => finding.estimate,
        VariantAxis::LogRatio => additive(finding, Scale::Ratio, criterion.null).ok()?.estimate,
        VariantAxis::Statistic => finding.statistic.as_ref().map(|statistic| statistic.value),
        VariantAxis::Z => z(criterion, finding),
    }
}

/// The estimate in its standard errors; else its signed statistic; else the z of its
/// p-value with the sign of its estimate.
fn z(criterion: &Criterion, finding: &Finding) -> Option<f64> {
    let moved = additive(finding, scale(criterion, finding), criterion.null).ok()?;
    let by_error = moved
        .estimate
        .zip(moved.standard_error)
        .filter(|(_, error)| *error > 0.0)
        .map(|(estimate, error)| estimate / error);
    let by_statistic = || {
        let statistic = moved
            .statistic
            .as_ref()
            .filter(|statistic| statistic.is_signed())?;
        Some(statistic.value)
    };
    let by_p = || {
        let p = moved.p_value.filter(|p| p.relation == Relation::Equal)?;
        let two_sided = if moved.sides == Some(1) {
            2.0 * p.value.min(1.0 - p.value)
        } else {
            p.value
        };
        let size = -normal_quantile(two_sided / 2.0);
        Some(match moved.estimate.and_then(Direction::from_value) {
            Some(Direction::Negative) => -size,
            _ => size,
        })
    };
    by_error
        .or_else(by_statistic)
        .or_else(by_p)
        .filter(|z| z.is_finite())
}

#[cfg(test)]
#[path = "variant_tests.rs"]
mod tests;
