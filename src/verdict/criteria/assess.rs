//! All criteria on one pair.

use super::assessment::Assessment;
use super::study::StudyPair;
use super::{bayes, compatibility, magnitude, same_numbers, significance};
use crate::domain::rule::Rule;

/// Applies every criterion for new observations, in the order of [`Rule::all`].
pub fn assess(pair: &StudyPair) -> Vec<Assessment> {
    let rules = Rule::all().filter(|rule| *rule != Rule::NumericalAgreement);
    rules.map(|rule| apply(rule, pair)).collect()
}

/// Applies one criterion.
pub fn apply(rule: Rule, pair: &StudyPair) -> Assessment {
    match rule {
        Rule::SignificanceAndDirection => significance::significance_and_direction(pair),
        Rule::OriginalInReplicationInterval => compatibility::original_in_replication_interval(pair),
        Rule::ReplicationInOriginalInterval => compatibility::replication_in_original_interval(pair),
        Rule::PredictionInterval => compatibility::prediction_interval(pair),
        Rule::Heterogeneity => compatibility::heterogeneity(pair),
        Rule::SmallTelescopes => magnitude::small_telescopes(pair),
        Rule::ScepticalP => significance::sceptical_p(pair),
        Rule::ReplicationBayesFactor => bayes::replication_bayes_factor(pair),
        Rule::Equivalence => magnitude::equivalence(pair),
        Rule::MetaAnalytic => significance::meta_analytic(pair),
        Rule::EffectRatio => magnitude::effect_ratio(pair),
        Rule::SumOfPValues => significance::sum_of_p_values(pair),
        Rule::GoldenScepticalP => significance::golden_sceptical_p(pair),
        Rule::Correspondence => compatibility::correspondence(pair),
        Rule::DefaultBayesFactor => bayes::default_bayes_factor(pair),
        Rule::ModelAveragedBayesFactor => bayes::model_averaged_bayes_factor(pair),
        Rule::NumericalAgreement => same_numbers::numerical_agreement(pair),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::verdict::criteria::study::StudyEstimate;

    fn pair(r: f64, error: f64) -> StudyPair {
        let study = |estimate, error| StudyEstimate::new(estimate, error, None).unwrap();
        StudyPair::new(study(0.25, 0.08), study(r, error))
    }

    fn value(pair: &StudyPair, rule: Rule) -> f64 {
        apply(rule, pair).value.unwrap()
    }

    fn decisions(pair: &StudyPair) -> Vec<Option<bool>> {
        assess(pair).iter().map(|one| one.decision).collect()
    }

    #[test]
    fn a_smaller_precise_replication_divides_the_criteria() {
        let pair = pair(0.10, 0.04);
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(
            decisions(&pair),
            [
                yes, no, yes, yes, yes, yes, no, None, None, yes, None, yes, yes, None, None, None
            ]
        );
        let close = |rule, expected: f64, within: f64| {
            let found = value(&pair, rule);
            assert!((found - expected).abs() < within, "{rule}: {found}");
        };
        close(Rule::SignificanceAndDirection, 0.012, 5e-4);
        close(Rule::Heterogeneity, 0.094, 5e-4);
        close(Rule::ScepticalP, 0.054, 5e-4);
        close(Rule::SmallTelescopes, 0.288, 5e-4);
        close(Rule::ReplicationBayesFactor, 2.49, 5e-3);
        close(Rule::SumOfPValues, 0.0071, 5e-5);
        close(Rule::GoldenScepticalP, 0.0207, 5e-5);
        let predicted = apply(Rule::PredictionInterval, &pair).interval.unwrap();
        assert!((predicted.lower - 0.075).abs() < 5e-4 && (predicted.upper - 0.425).abs() < 5e-4);
        let pooled = apply(Rule::MetaAnalytic, &pair).interval.unwrap();
        assert!((f64::midpoint(pooled.lower, pooled.upper) - 0.130).abs() < 5e-4);
    }

    #[test]
    fn a_clear_success_and_a_clear_miss() {
        let success = pair(0.20, 0.05);
        assert!((value(&success, Rule::ScepticalP) - 0.0149).abs() < 5e-5);
        assert!((value(&success, Rule::ReplicationBayesFactor) - 1373.0).abs() < 0.5);
        assert!(decisions(&success).iter().flatten().all(|met| *met));
        let miss = pair(-0.02, 0.03);
        assert!((value(&miss, Rule::Heterogeneity) - 0.0016).abs() < 5e-5);
        assert!(value(&miss, Rule::SmallTelescopes) < 1e-4);
        assert!((value(&miss, Rule::ReplicationBayesFactor) - 0.003).abs() < 5e-4);
        assert!(decisions(&miss).iter().flatten().all(|met| !met));
    }

    #[test]
    fn the_smallest_effect_of_interest_decides_both_ways() {
        let with = |r, sesoi| StudyPair {
            sesoi: Some(sesoi),
            ..pair(r, 0.03)
        };
        let decision = |pair: StudyPair| apply(Rule::Equivalence, &pair).decision;
        assert_eq!(decision(with(0.01, 0.1)), Some(false));
        assert_eq!(decision(with(0.20, 0.1)), Some(true));
        assert_eq!(decision(with(0.10, 0.1)), None);
        assert_eq!(decision(with(-0.20, 0.1)), None);
        assert_eq!(decision(with(0.01, -1.0)), None);
    }

    proptest! {
        #[test]
        fn signs_do_not_matter(o in 0.01..5.0, so in 0.01..2.0, r in -5.0..5.0, sr in 0.01..2.0) {
            let study = |estimate, error| StudyEstimate::new(estimate, error, None).unwrap();
            let straight = StudyPair::new(study(o, so), study(r, sr));
            let mirrored = StudyPair::new(study(-o, so), study(-r, sr));
            prop_assert_eq!(decisions(&straight), decisions(&mirrored));
        }

        #[test]
        fn extremes_give_numbers_or_nothing(
            o in -200_i32..200, so in -200_i32..200, r in -200_i32..200, sr in -200_i32..200,
        ) {
            let power = |exponent: i32| 10_f64.powf(f64::from(exponent) / 2.0);
            let study = |estimate, error| StudyEstimate::new(estimate, error, None);
            if let (Ok(first), Ok(second)) = (study(power(o), power(so)), study(-power(r), power(sr))) {
                for one in assess(&StudyPair { sesoi: Some(1.0), ..StudyPair::new(first, second) }) {
                    prop_assert!(one.value.is_none_or(f64::is_finite), "{:?}", one);
                    prop_assert!(!one.sentence.contains("NaN"), "{:?}", one);
                }
            }
        }
    }
}
