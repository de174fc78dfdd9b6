//! The rule that decides, fixed before the data were analysed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claimed_effect::ClaimedEffect;
use super::condition::{Condition, Test};
use super::finding::Finding;
use super::parameters::Parameters;
use super::quantity::Quantity;
use super::rule::Rule;
use super::scale::Scale;
use super::study_kind::{DataOrigin, Observations};

/// The preregistered rule, with all that it is computed from but the
/// replication's own figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// The coefficient or contrast that decides.
    pub focal_term: String,
    /// The sign that the claim gives it; none if it claims no effect.
    pub direction: ClaimedEffect,
    /// The significance level, between 0 and 1.
    pub alpha: f64,
    /// Whether the test is two-sided.
    pub two_sided: bool,
    /// what the focal estimate measures; a difference if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// the value of no effect; if absent 0, or 1 for a ratio
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<f64>,
    /// how significance_and_direction tests the focal term
    #[serde(default, skip_serializing_if = "is_default_test")]
    pub test: Test,
    /// groups or terms in the claimed order, the largest mean first; for F and other unsigned tests
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub greater: Vec<String>,
    /// the term whose sign gives an unsigned test its direction
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrast: Option<String>,
    /// for the test difference: the term that is subtracted from the focal one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minus: Option<String>,
    /// for the test non_inferiority: above zero
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// further conditions that must hold too
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Condition>,
    /// alternatives to the focal condition, as in all
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub any: Vec<Condition>,
    /// conditions that decide nothing, as in all
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Value>")]
    pub also_reported: Vec<Condition>,
    /// which criterion decides
    #[serde(default, skip_serializing_if = "Rule::is_default")]
    pub rule: Rule,
    /// the numbers of the rule; none for significance_and_direction
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// the original's focal estimate as published; for every other rule
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Finding>,
    /// whether the data contain the original's observations; new if absent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations: Option<Observations>,
    /// for partly_same: how many observations are the original's
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_observations: Option<u64>,
    /// for numerical_agreement: what must agree besides the estimate
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<Quantity>,
    /// why this rule, if it is not the study's own
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// The part of a rule that a study fixes for whoever replicates its claim; what
/// is absent is left to the plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FixedCriterion {
    /// The criterion that decides; significance_and_direction by default.
    #[serde(default)]
    pub rule: Rule,
    /// What the claim says of its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<ClaimedEffect>,
    /// The significance level, above 0 and below 0.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// Whether the test is two-sided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_sided: Option<bool>,
    /// The test of the focal term; significance by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// The value of no effect; that of the scale by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null: Option<f64>,
    /// The margin of non-inferiority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the data hold the original's observations; by the data's origin where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observations: Option<Observations>,
    #[serde(flatten)]
    pub parameters: Parameters,
}

/// A condition besides the focal one, with its place in the criterion.
#[derive(Debug, Clone, Copy)]
pub struct FurtherCondition<'a> {
    /// The key of the list that it stands in.
    pub key: &'static str,
    /// Its position there, from 0.
    pub at: usize,
    pub condition: &'a Condition,
}

/// One part in which a criterion differs from what is fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionDifference {
    pub part: &'static str,
    pub fixed: String,
    /// What stands there instead.
    pub given: String,
}

impl FixedCriterion {
    /// What is fixed for a claim whose study fixes nothing: significance at .05,
    /// two-sided, with the claim's sign. Source: the SCORE project.
    pub fn usual() -> Self {
        Self {
            alpha: Some(0.05),
            two_sided: Some(true),
            ..Self::default()
        }
    }

    /// The same for data of this origin: on the original's observations the default
    /// rule is that its numbers come out again.
    #[must_use]
    pub fn on(mut self, data: Option<DataOrigin>) -> Self {
        let same = |data: &DataOrigin| Observations::from_origin(*data) == Observations::Same;
        if self.observations.is_none() && data.as_ref().is_some_and(same) {
            self.observations = Some(Observations::Same);
        }
        self.rule = self.rule_on(self.observations);
        self
    }

    /// The rule that decides on such observations.
    fn rule_on(&self, observations: Option<Observations>) -> Rule {
        if observations == Some(Observations::Same) && self.rule.is_default() {
            Rule::NumericalAgreement
        } else {
            self.rule
        }
    }

    /// Where a criterion differs from it.
    pub fn differences(&self, criterion: &Criterion) -> Vec<CriterionDifference> {
        let mut found = Vec::new();
        let mut differ =
            |part, fixed: String, given: String| found.push(CriterionDifference { part, fixed, given });
        let rule = self.rule_on(self.observations.or(criterion.observations));
        if rule != criterion.rule {
            differ("rule", rule.key().to_owned(), criterion.rule.key().to_owned());
        }
        if let Some(claimed) = self.direction.filter(|claimed| *claimed != criterion.direction) {
            differ("direction", claimed.to_string(), criterion.direction.to_string());
        }
        if let Some(alpha) = self.alpha.filter(|alpha| *alpha != criterion.alpha) {
            differ("alpha", alpha.to_string(), criterion.alpha.to_string());
        }
        if let Some(sided) = self.two_sided.filter(|sided| *sided != criterion.two_sided) {
            differ("two_sided", sided.to_string(), criterion.two_sided.to_string());
        }
        let test = self.test.unwrap_or_default();
        if criterion.rule.is_default() && test != criterion.test {
            differ("test", test.words().to_owned(), criterion.test.words().to_owned());
        }
        let usual = criterion.scale.unwrap_or_default().null();
        let (null, given) = (self.null.unwrap_or(usual), criterion.null.unwrap_or(usual));
        if null != given {
            differ("null", null.to_string(), given.to_string());
        }
        if let Some(margin) = self.margin.filter(|margin| criterion.margin != Some(*margin)) {
            let given = criterion
                .margin
                .map_or_else(|| "nothing".to_owned(), |given| given.to_string());
            differ("margin", margin.to_string(), given);
        }
        let unit = self.parameters.unit.trim();
        if !unit.is_empty() && !unit.eq_ignore_ascii_case(criterion.parameters.unit.trim()) {
            differ("unit", unit.to_owned(), criterion.parameters.unit.clone());
        }
        let pairs = self
            .parameters
            .numbers()
            .into_iter()
            .zip(criterion.parameters.numbers());
        for ((name, fixed), (_, given)) in pairs {
            if let Some(fixed) = fixed.filter(|fixed| given != Some(*fixed)) {
                let given = given.map_or_else(|| "nothing".to_owned(), |given| given.to_string());
                differ(name, fixed.to_string(), given);
            }
        }
        found
    }
}

impl Criterion {
    /// Significance and direction, the rule that decides where nobody fixed
    /// another one.
    pub fn significance(
        focal_term: impl Into<String>,
        direction: impl Into<ClaimedEffect>,
        alpha: f64,
        two_sided: bool,
    ) -> Self {
        Self {
            focal_term: focal_term.into(),
            direction: direction.into(),
            alpha,
            two_sided,
            scale: None,
            null: None,
            test: Test::Significance,
            greater: Vec::new(),
            contrast: None,
            minus: None,
            margin: None,
            all: Vec::new(),
            any: Vec::new(),
            also_reported: Vec::new(),
            rule: Rule::SignificanceAndDirection,
            parameters: Parameters::default(),
            original: None,
            observations: None,
            shared_observations: None,
            quantities: Vec::new(),
            reason: String::new(),
        }
    }

    /// The condition on the focal term.
    pub fn condition(&self) -> Condition {
        Condition {
            term: self.focal_term.clone(),
            test: self.test,
            sign: self.direction,
            scale: self.scale,
            null: self.null,
            level: self.alpha,
            sides: if self.two_sided { 2 } else { 1 },
            greater: self.greater.clone(),
            contrast: self.contrast.clone(),
            minus: self.minus.clone(),
            sesoi: self.parameters.sesoi,
            margin: self.margin,
        }
    }

    /// Every condition but the focal one.
    pub fn further(&self) -> impl Iterator<Item = FurtherCondition<'_>> {
        [
            ("all", &self.all),
            ("any", &self.any),
            ("also_reported", &self.also_reported),
        ]
        .into_iter()
        .flat_map(|(key, conditions)| {
            conditions
                .iter()
                .enumerate()
                .map(move |(at, condition)| FurtherCondition { key, at, condition })
        })
    }

    /// The same with the observations that the study states.
    #[must_use]
    pub fn on(mut self, fixed: Option<&FixedCriterion>) -> Self {
        self.observations = fixed.and_then(|fixed| fixed.observations).or(self.observations);
        self
    }

    /// The same held against the original's published figures if its rule is that they come
    /// out again, whatever the plan says that they are.
    #[must_use]
    pub fn against(mut self, published: Option<&Finding>) -> Self {
        if let Some(published) = published.filter(|one| one.estimate.is_some())
            && self.rule == Rule::NumericalAgreement
        {
            self.original = Some(published.clone());
        }
        self
    }

    /// Whether it is about the original's own observations.
    pub fn is_on_same_observations(&self) -> bool {
        self.observations == Some(Observations::Same)
    }

    /// The level of a two-sided test that is passed with the claim's sign as
    /// often as this one.
    pub fn two_sided_alpha(&self) -> f64 {
        if self.two_sided {
            self.alpha
        } else {
            2.0 * self.alpha
        }
    }
}

fn is_default_test(test: &Test) -> bool {
    *test == Test::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Direction;

    #[test]
    fn a_claim_of_no_effect_is_another_claim() {
        let claim = Criterion::significance("income", ClaimedEffect::NoEffect, 0.05, true);
        let fixed = FixedCriterion {
            direction: Some(ClaimedEffect::Positive),
            ..FixedCriterion::default()
        };
        let [found] = &fixed.differences(&claim)[..] else {
            panic!("one difference");
        };
        assert_eq!(
            (found.part, found.fixed.as_str(), found.given.as_str()),
            ("direction", "positive", "none")
        );
    }

    #[test]
    fn what_a_study_leaves_open_is_no_difference() {
        let plain = Criterion::significance("income", Direction::Positive, 0.05, true);
        assert_eq!(FixedCriterion::default().differences(&plain), []);
        let fixed = FixedCriterion {
            rule: Rule::PredictionInterval,
            parameters: Parameters {
                level: Some(0.9),
                ..Parameters::default()
            },
            ..FixedCriterion::default()
        };
        let names = |criterion: &Criterion| -> Vec<_> {
            let found = fixed.differences(criterion);
            found.into_iter().map(|one| one.part).collect()
        };
        assert_eq!(names(&plain), ["rule", "level"]);
        let agreed = Criterion {
            rule: Rule::PredictionInterval,
            parameters: fixed.parameters.clone(),
            ..plain
        };
        assert!(names(&agreed).is_empty());
    }

    #[test]
    fn on_the_same_observations_the_numbers_are_to_come_out_again() {
        let plain = Criterion::significance("income", Direction::Positive, 0.05, true);
        let names = |fixed: &FixedCriterion, criterion: &Criterion| -> Vec<String> {
            let found = fixed.differences(criterion);
            found.into_iter().map(|one| one.fixed).collect()
        };
        for origin in [DataOrigin::Authors, DataOrigin::Sources] {
            let fixed = FixedCriterion::usual().on(Some(origin));
            assert_eq!(fixed.rule, Rule::NumericalAgreement);
            assert_eq!(names(&fixed, &plain), ["numerical_agreement"]);
        }
        for origin in [
            None,
            Some(DataOrigin::Secondary),
            Some(DataOrigin::Collected),
            Some(DataOrigin::Other),
        ] {
            assert_eq!(FixedCriterion::usual().on(origin), FixedCriterion::usual());
        }
        // The plan says so where the study says nothing, and cannot say otherwise.
        let said = Criterion {
            observations: Some(Observations::Same),
            ..plain.clone()
        };
        assert_eq!(names(&FixedCriterion::usual(), &said), ["numerical_agreement"]);
        let fixed = FixedCriterion::usual().on(Some(DataOrigin::Authors));
        let denied = Criterion {
            observations: Some(Observations::New),
            ..plain.clone()
        };
        assert!(denied.on(Some(&fixed)).is_on_same_observations());
        // A study that fixes another rule keeps it.
        let own = FixedCriterion {
            rule: Rule::Equivalence,
            ..FixedCriterion::default()
        };
        assert_eq!(own.on(Some(DataOrigin::Authors)).rule, Rule::Equivalence);
    }

    #[test]
    fn the_published_number_is_what_comes_out_again() {
        let published = Finding {
            estimate: Some(0.132),
            ..Finding::default()
        };
        let invented = Criterion {
            rule: Rule::NumericalAgreement,
            original: Some(Finding {
                estimate: Some(0.0747),
                ..Finding::default()
            }),
            ..Criterion::significance("educ", Direction::Positive, 0.05, true)
        };
        assert_eq!(
            invented.clone().against(Some(&published)).original,
            Some(published.clone())
        );
        assert_eq!(invented.clone().against(None), invented);
        let other = Criterion {
            rule: Rule::PredictionInterval,
            ..invented
        };
        assert_eq!(other.clone().against(Some(&published)), other);
    }

    #[test]
    fn a_plain_rule_is_written_as_it_always_was() {
        let plain = Criterion::significance("income", Direction::Positive, 0.05, true);
        let written = serde_json::to_value(&plain).unwrap();
        assert_eq!(
            written,
            serde_json::json!({"focal_term": "income", "direction": "positive", "alpha": 0.05, "two_sided": true})
        );
        assert_eq!(serde_json::from_value::<Criterion>(written).unwrap(), plain);
    }
}
