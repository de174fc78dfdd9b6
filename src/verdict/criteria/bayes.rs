//! Bayes factors.

use super::assessment::{Assessment, number};
use super::significance::NO_SIGN;
use super::study::{StudyEstimate, StudyPair};
use crate::domain::finding::Direction;
use crate::domain::rule::Rule;
use crate::statistics::bayes_factors::{MEDIUM, default_t, largest, moment_z, normal_prior};
use crate::statistics::effect_size::pooled;

/// Standard deviation of the normal prior of the model average, on correlations.
const PRIOR_SD: f64 = 0.25;

/// The replication's likelihood under the original's posterior over that under
/// no effect: above the threshold (3 unless another was fixed) and with the
/// original's sign it meets the criterion; below the inverse, or with the other
/// sign, it does not.
///
/// `N(r; o, SEo² + SEr²) / N(r; 0, SEr²)`, the original's posterior under a flat
/// prior. Values beyond the range of a double are given as the range's end.
pub fn replication_bayes_factor(pair: &StudyPair) -> Assessment {
    let (original, replication) = (&pair.original, &pair.replication);
    let spread = pair.difference_error();
    let distance = (replication.estimate - original.estimate) / spread;
    let log = (replication.standard_error / spread).ln() + 0.5 * (replication.z().powi(2) - distance.powi(2));
    if log.is_nan() {
        return Assessment::undecided(
            Rule::ReplicationBayesFactor,
            "The studies' z-values are too extreme for the replication Bayes factor.",
        );
    }
    let factor = factor_of(log);
    let rule = Rule::ReplicationBayesFactor;
    let threshold = pair.terms.bayes_factor.unwrap_or(rule.published_bayes_factor());
    // An original of little precision predicts effects on both sides of zero.
    let same = pair.same_sign() == Some(true);
    let (decision, words) = match (factor > threshold, same) {
        (true, true) => (Some(true), "favours the original effect over no effect"),
        (true, false) => (
            Some(false),
            "favours the original effect over no effect, but without the original's sign",
        ),
        (false, _) if factor < 1.0 / threshold => (Some(false), "favours no effect over the original effect"),
        (false, _) => (None, "does not tell the original effect from no effect"),
    };
    Assessment {
        rule,
        value: Some(factor),
        interval: None,
        decision,
        sentence: format!("The replication Bayes factor is {} and {words}.", number(factor)),
    }
}

/// The default Bayes factor of the replication's own test: an effect with the
/// claim's sign and a factor above the threshold (10 unless another was fixed)
/// meets the criterion; one with the other sign, or a factor below the inverse,
/// does not.
///
/// A t test takes the prior of Rouder et al. as of one sample of n. A z test
/// takes the largest factor over the effects of Johnson et al. (2023), which
/// never favours no effect.
pub fn default_bayes_factor(pair: &StudyPair) -> Assessment {
    let rule = Rule::DefaultBayesFactor;
    let Some(sign) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let threshold = pair.terms.bayes_factor.unwrap_or(rule.published_bayes_factor());
    default_bayes_factor_of(&pair.replication, sign, threshold)
}

/// The same of a replication alone, with the claim's sign.
pub fn default_bayes_factor_of(replication: &StudyEstimate, sign: Direction, threshold: f64) -> Assessment {
    let rule = Rule::DefaultBayesFactor;
    let Some(n) = replication.n.filter(|n| *n > 0).map(|n| n as f64) else {
        return Assessment::undecided(
            rule,
            "The replication's number of observations is not known, on which the default Bayes factor's prior \
             depends.",
        );
    };
    let z = replication.z();
    let log = match replication.df {
        Some(df) => default_t(z, n, df, MEDIUM),
        None => Some(largest(|effect| moment_z(z, n, effect))),
    };
    let test = match replication.df {
        Some(df) => format!("t {} on {} degrees of freedom", number(z), number(df)),
        None => format!("z {}", number(z)),
    };
    let same = replication.direction() == Some(sign);
    let subject = format!("The replication's default Bayes factor, from {test} and n {n},");
    by_threshold(rule, log, same, threshold, &subject)
}

/// The Bayes factor of one common effect of both studies against none, on
/// correlations with a normal prior of standard deviation 0.25: a factor above
/// the threshold (3 unless another was fixed) and a replication with the
/// original's sign meet the criterion.
pub fn model_averaged_bayes_factor(pair: &StudyPair) -> Assessment {
    let rule = Rule::ModelAveragedBayesFactor;
    let Some(same) = pair.same_sign() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let common = match pair.correlations().map(|both| pooled(&both)) {
        Ok(Some(common)) => common,
        Ok(None) => return Assessment::undecided(rule, TOO_EXTREME),
        Err(why) => return Assessment::undecided(rule, why),
    };
    let log = normal_prior(common.value, common.standard_error, PRIOR_SD);
    let threshold = pair.terms.bayes_factor.unwrap_or(rule.published_bayes_factor());
    let subject = format!(
        "The Bayes factor of a common effect, {} as a correlation,",
        number(common.value)
    );
    by_threshold(rule, Some(log), same, threshold, &subject)
}

const TOO_EXTREME: &str = "The studies' tests are too extreme for this Bayes factor.";

fn by_threshold(rule: Rule, log: Option<f64>, same: bool, threshold: f64, subject: &str) -> Assessment {
    let Some(log) = log.filter(|log| !log.is_nan()) else {
        return Assessment::undecided(rule, TOO_EXTREME);
    };
    let factor = factor_of(log);
    let (decision, words) = match (factor > threshold, same) {
        (true, true) => (Some(true), "favours an effect, with the original's sign"),
        (true, false) => (Some(false), "favours an effect, without the original's sign"),
        (false, _) if factor < 1.0 / threshold => (Some(false), "favours no effect"),
        (false, _) => (None, "does not distinguish an effect from no effect"),
    };
    Assessment {
        rule,
        value: Some(factor),
        interval: None,
        decision,
        sentence: format!(
            "{subject} is {} and, against {}, {words}.",
            number(factor),
            number(threshold)
        ),
    }
}

/// Values beyond the range of a double are given as the range's end.
fn factor_of(log: f64) -> f64 {
    log.exp().clamp(f64::MIN_POSITIVE, f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(estimate: f64, error: f64, n: u64, df: Option<f64>) -> StudyEstimate {
        StudyEstimate {
            df,
            ..StudyEstimate::new(estimate, error, Some(n)).unwrap()
        }
    }

    #[test]
    fn the_default_test_decides_with_the_sign_and_not_without_n() {
        let of = |study: &StudyEstimate| default_bayes_factor_of(study, Direction::Positive, 10.0);
        let found = of(&study(0.35, 0.1, 30, Some(29.0)));
        // The integral in thirty digits (mpmath); BayesFactor 0.9.12: exp(ttest.tstat(3.5, n1 = 30)$bf)
        assert!((found.value.unwrap() - 22.857_499_669).abs() < 1e-8, "{found:?}");
        assert_eq!(found.decision, Some(true));
        assert_eq!(of(&study(-0.35, 0.1, 30, Some(29.0))).decision, Some(false));
        assert_eq!(of(&study(0.01, 0.1, 600, Some(599.0))).decision, Some(false));
        assert_eq!(of(&study(0.2, 0.1, 30, Some(29.0))).decision, None);
        // A z test cannot favour no effect.
        let flat = of(&study(0.01, 0.1, 600, None));
        assert_eq!((flat.value, flat.decision), (Some(1.0), None));
        let without = of(&StudyEstimate {
            n: None,
            ..study(0.35, 0.1, 30, Some(29.0))
        });
        assert!(without.sentence.contains("is not known"), "{without:?}");
    }

    #[test]
    fn a_common_effect_in_any_units() {
        let pair = StudyPair::new(
            study(25.0, 8.0, 122, Some(120.0)),
            study(0.1, 0.04, 902, Some(900.0)),
        );
        let found = model_averaged_bayes_factor(&pair);
        assert_eq!(found.decision, Some(true), "{found:?}");
        // mpmath: the normal likelihood of both correlations, .2742 and .0830, over the prior.
        assert!(
            (found.value.unwrap() - 42.437_162_338_291_97).abs() < 1e-8,
            "{found:?}"
        );
        let unknown = StudyPair::new(StudyEstimate::new(25.0, 8.0, None).unwrap(), pair.replication);
        assert_eq!(model_averaged_bayes_factor(&unknown).value, None);
    }
}
