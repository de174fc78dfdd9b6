//! Criteria that ask whether the two estimates are compatible.

use super::assessment::{Assessment, number, range};
use super::study::{StudyEstimate, StudyPair};
use crate::domain::finding::Interval;
use crate::domain::rule::Rule;
use crate::statistics::correlation;
use crate::statistics::correspondence::{Correspondence, CorrespondenceTest};
use crate::statistics::distributions::chi_squared_upper;
use crate::statistics::intervals::{normal, student};

/// The replication's interval covers the original's estimate.
pub fn original_in_replication_interval(pair: &StudyPair) -> Assessment {
    covers(
        Rule::OriginalInReplicationInterval,
        ["original", "replication's confidence"],
        pair.original.estimate,
        interval_of(&pair.replication, pair.level()),
    )
}

/// The original's interval covers the replication's estimate.
pub fn replication_in_original_interval(pair: &StudyPair) -> Assessment {
    covers(
        Rule::ReplicationInOriginalInterval,
        ["replication", "original's confidence"],
        pair.replication.estimate,
        interval_of(&pair.original, pair.level()),
    )
}

/// The replication's estimate lies where the original, with the replication's
/// precision, predicts it.
pub fn prediction_interval(pair: &StudyPair) -> Assessment {
    covers(
        Rule::PredictionInterval,
        ["replication", "prediction"],
        pair.replication.estimate,
        predicted(pair),
    )
}

fn predicted(pair: &StudyPair) -> Option<Interval> {
    let plain = normal(pair.original.estimate, pair.difference_error(), pair.level())?;
    Some(
        if pair.original.is_correlation && pair.replication.is_correlation {
            Interval {
                lower: plain.lower.max(-1.0),
                upper: plain.upper.min(1.0),
                ..plain
            }
        } else {
            plain
        },
    )
}

/// Cochran's Q of two studies; met when they do not differ significantly.
pub fn heterogeneity(pair: &StudyPair) -> Assessment {
    let difference = pair.original.estimate - pair.replication.estimate;
    let q = (difference / pair.difference_error()).powi(2);
    let p = chi_squared_upper(q, 1.0);
    let differ = p < pair.alpha;
    Assessment {
        rule: Rule::Heterogeneity,
        value: Some(p).filter(|p| p.is_finite()),
        interval: None,
        decision: p.is_finite().then_some(!differ),
        sentence: format!(
            "The two estimates {} significantly, Q {} on one degree of freedom, p {}.",
            if differ { "differ" } else { "do not differ" },
            number(q),
            number(p)
        ),
    }
}

/// Correlations that differ, if at all, by less than matters: tests of
/// difference and of equivalence together, each at `alpha`.
pub fn correspondence(pair: &StudyPair) -> Assessment {
    let rule = Rule::Correspondence;
    let [original, replication] = match pair.correlations() {
        Ok(both) => both,
        Err(why) => return Assessment::undecided(rule, why),
    };
    let difference = replication.value - original.value;
    let error = original.standard_error.hypot(replication.standard_error);
    let threshold = pair.terms.threshold;
    let test = CorrespondenceTest::new(difference, error, threshold);
    let found = test.conclude(pair.alpha);
    let interval = normal(difference, error, 1.0 - pair.alpha);
    Assessment {
        rule,
        value: Some(difference),
        interval,
        decision: found.holds(),
        sentence: format!(
            "As correlations, original {} and replication {} differ by {}{}: p {} of no difference, p {} of a \
             difference within ±{threshold}, so that {}.",
            number(original.value),
            number(replication.value),
            number(difference),
            interval
                .map(|interval| format!(" {}", range(interval)))
                .unwrap_or_default(),
            number(test.difference),
            number(test.equivalence),
            match found {
                Correspondence::Equivalence => "they are equivalent",
                Correspondence::TrivialDifference => "they differ by less than matters",
                Correspondence::Difference => "they differ",
                Correspondence::Indeterminate => "neither is shown",
            }
        ),
    }
}

fn interval_of(study: &StudyEstimate, level: f64) -> Option<Interval> {
    if study.is_correlation {
        return correlation::interval(study.estimate, study.freedom()?, level);
    }
    match study.df {
        Some(df) => student(study.estimate, study.standard_error, df, level),
        None => normal(study.estimate, study.standard_error, level),
    }
}

fn covers(rule: Rule, [whose, which]: [&str; 2], value: f64, interval: Option<Interval>) -> Assessment {
    let Some(interval) = interval else {
        return Assessment::undecided(rule, format!("The {which} interval cannot be computed."));
    };
    let inside = (interval.lower..=interval.upper).contains(&value);
    Assessment {
        rule,
        value: Some(value),
        interval: Some(interval),
        decision: Some(inside),
        sentence: format!(
            "The {whose} estimate {} lies {} the {which} interval {}.",
            number(value),
            if inside { "in" } else { "outside" },
            range(interval)
        ),
    }
}
