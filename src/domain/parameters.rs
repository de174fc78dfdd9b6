//! The numbers that a replication criterion takes beside the level.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::Rule;

/// The parameters of a rule beside the level; each is absent where it takes it not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Parameters {
    /// unit or scale of the original's and the replication's estimate
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// coverage of the interval, such as 0.95; 1 - alpha if absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<f64>,
    /// equivalence: smallest effect size of interest, positive, in the unit
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sesoi: Option<f64>,
    /// small_telescopes: the original's power for a small effect; 1/3 if absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<f64>,
    /// Bayes factors: met above it, not met below 1 / it; if absent 3, or 10 for default_bayes_factor
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bayes_factor: Option<f64>,
    /// effect_ratio: smallest share of the original's effect that meets it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_ratio: Option<f64>,
    /// correspondence: largest difference of correlations that does not matter; 0.2 if absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

impl Parameters {
    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The numbers, each with its name.
    pub fn numbers(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("level", self.level),
            ("sesoi", self.sesoi),
            ("power", self.power),
            ("bayes_factor", self.bayes_factor),
            ("least_ratio", self.least_ratio),
            ("threshold", self.threshold),
        ]
    }

    /// The numbers that a rule needs and are missing, that are out of range, or
    /// that the rule does not take.
    pub fn misfits(&self, rule: Rule) -> Vec<Misfit> {
        let takes = taken(rule);
        let misfit = |(name, value): (&'static str, Option<f64>)| {
            let (problem, expected) = match value {
                None if takes.contains(&name) && NEEDED.contains(&name) => {
                    (format!("{rule} cannot be computed without `{name}`"), range(name))
                }
                Some(_) if !takes.contains(&name) => (
                    format!("`{name}` is no parameter of {rule}"),
                    "it left out, or the rule that takes it",
                ),
                Some(value) if !fits(name, value) => (format!("{value} is out of range"), range(name)),
                _ => return None,
            };
            Some(Misfit {
                name,
                problem,
                expected,
            })
        };
        self.numbers().into_iter().filter_map(misfit).collect()
    }
}

/// A parameter that cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub name: &'static str,
    /// A clause.
    pub problem: String,
    /// What would be right.
    pub expected: &'static str,
}

/// Parameters without a published value.
const NEEDED: [&str; 2] = ["sesoi", "least_ratio"];

fn taken(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::OriginalInReplicationInterval
        | Rule::ReplicationInOriginalInterval
        | Rule::PredictionInterval => &["level"],
        Rule::SmallTelescopes => &["power"],
        Rule::ReplicationBayesFactor | Rule::DefaultBayesFactor | Rule::ModelAveragedBayesFactor => {
            &["bayes_factor"]
        }
        Rule::Equivalence => &["sesoi"],
        Rule::EffectRatio => &["level", "least_ratio"],
        Rule::Correspondence => &["threshold"],
        Rule::SignificanceAndDirection
        | Rule::Heterogeneity
        | Rule::ScepticalP
        | Rule::MetaAnalytic
        | Rule::SumOfPValues
        | Rule::GoldenScepticalP
        | Rule::NumericalAgreement => &[],
    }
}

fn fits(name: &str, value: f64) -> bool {
    match name {
        "level" => (0.5..1.0).contains(&value),
        "power" => value > 0.0 && value < 1.0,
        "bayes_factor" => value > 1.0 && value <= 1e100,
        "threshold" => value > 0.0 && value < 2.0,
        _ => (1e-100..=1e100).contains(&value),
    }
}

fn range(name: &str) -> &'static str {
    match name {
        "level" => "a coverage from 0.5 to below 1, such as 0.95",
        "power" => "a power between 0 and 1, such as 0.33",
        "bayes_factor" => "a number above 1, such as 3 or 10",
        "threshold" => "a difference of correlations above 0 and below 2, such as 0.2",
        "sesoi" => "the smallest effect of interest as a positive number in the unit",
        _ => "the smallest share of the original's effect that counts, as a positive number such as 0.5",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_takes_its_own_numbers_and_no_others() {
        for rule in Rule::all() {
            let named: Vec<_> = Parameters::default()
                .misfits(rule)
                .iter()
                .map(|one| one.name)
                .collect();
            let needed: &[&str] = match rule {
                Rule::Equivalence => &["sesoi"],
                Rule::EffectRatio => &["least_ratio"],
                _ => &[],
            };
            assert_eq!(named, needed, "{rule}");
        }
        let level = Parameters {
            level: Some(0.9),
            ..Parameters::default()
        };
        assert_eq!(level.misfits(Rule::PredictionInterval), []);
        assert!(
            level.misfits(Rule::ScepticalP)[0]
                .problem
                .contains("no parameter")
        );
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        for (rule, parameters) in [
            (Rule::PredictionInterval, r#"{"level": 95}"#),
            (Rule::SmallTelescopes, r#"{"power": 1}"#),
            (Rule::ReplicationBayesFactor, r#"{"bayes_factor": 1}"#),
            (Rule::Equivalence, r#"{"sesoi": -0.1}"#),
            (Rule::EffectRatio, r#"{"least_ratio": 0}"#),
            (Rule::Correspondence, r#"{"threshold": 2}"#),
        ] {
            let parameters: Parameters = serde_json::from_str(parameters).unwrap();
            let misfits = parameters.misfits(rule);
            assert!(
                misfits.len() == 1 && misfits[0].problem.contains("out of range"),
                "{rule}"
            );
        }
    }
}
