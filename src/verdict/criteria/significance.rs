//! Criteria that ask for a significant effect: of the replication, of both
//! together, or against a sceptic.

use super::assessment::{Assessment, number, on_df, range};
use super::study::{StudyEstimate, StudyPair};
use crate::domain::finding::{PValue, Relation};
use crate::domain::rule::Rule;
use crate::statistics::distributions::{normal_two_sided, t_two_sided};
use crate::statistics::intervals::normal;
use crate::statistics::sceptical::{self, Scaling};
use crate::statistics::sum_of_p;

/// The two-sided p-value of one study: t where it has degrees of freedom.
pub fn p_value(study: &StudyEstimate) -> f64 {
    study
        .df
        .map_or_else(|| normal_two_sided(study.z()), |df| t_two_sided(study.z(), df))
}

/// A replication that is significant at `alpha` with the original's sign, by the
/// p-value that it reports, else by its estimate and standard error.
pub fn significance_and_direction(pair: &StudyPair) -> Assessment {
    let rule = Rule::SignificanceAndDirection;
    let Some(same) = pair.same_sign() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let p = pair.replication.p.unwrap_or_else(|| PValue {
        relation: Relation::Equal,
        value: p_value(&pair.replication),
    });
    let shown = match p.relation {
        Relation::Equal => number(p.value),
        Relation::Less | Relation::Greater => p.to_string(),
    };
    Assessment {
        rule,
        // A bound is no value: the sentence has it.
        value: Some(p.value).filter(|_| p.relation == Relation::Equal),
        interval: None,
        decision: p.below(pair.alpha).map(|significant| significant && same),
        sentence: format!(
            "The replication's estimate {} has {} sign as the original's, with p {shown}{} against {}.",
            number(pair.replication.estimate),
            the_sign(same),
            on_df(&pair.replication),
            pair.alpha
        ),
    }
}

/// Both studies pooled by inverse variance: significant with the original's sign.
pub fn meta_analytic(pair: &StudyPair) -> Assessment {
    let rule = Rule::MetaAnalytic;
    let Some(original) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let weight = |study: &StudyEstimate| study.standard_error.powi(-2);
    let (first, second) = (weight(&pair.original), weight(&pair.replication));
    let pooled = StudyEstimate {
        estimate: (first * pair.original.estimate + second * pair.replication.estimate) / (first + second),
        standard_error: (first + second).powf(-0.5),
        n: None,
        df: None,
        p: None,
        is_correlation: false,
    };
    let p = p_value(&pooled);
    let same = pooled.direction() == Some(original);
    let interval = normal(pooled.estimate, pooled.standard_error, pair.level());
    Assessment {
        rule,
        value: Some(p),
        interval,
        decision: Some(p < pair.alpha && same),
        sentence: format!(
            "Pooled by inverse variance the effect is {}{}, p {}, with {} sign as the original; a biased \
             original inflates it.",
            number(pooled.estimate),
            interval
                .map(|interval| format!(" {}", range(interval)))
                .unwrap_or_default(),
            number(p),
            the_sign(same)
        ),
    }
}

/// The nominal, one-sided sceptical p-value, met at half of `alpha`.
pub fn sceptical_p(pair: &StudyPair) -> Assessment {
    sceptical_by(Rule::ScepticalP, Scaling::Nominal, pair)
}

/// The golden, one-sided sceptical p-value, which is on the scale of an ordinary
/// p-value, met at half of `alpha`.
pub fn golden_sceptical_p(pair: &StudyPair) -> Assessment {
    sceptical_by(Rule::GoldenScepticalP, Scaling::Golden, pair)
}

fn sceptical_by(rule: Rule, scaling: Scaling, pair: &StudyPair) -> Assessment {
    let Some(same) = pair.same_sign() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let ratio = (pair.original.standard_error / pair.replication.standard_error).powi(2);
    let Some(z) = sceptical::z_value(pair.original.z(), pair.replication.z(), ratio) else {
        return Assessment::undecided(
            rule,
            "The studies' z-values are too extreme for the sceptical p-value.",
        );
    };
    let p = sceptical::p_value(z, same, scaling);
    let level = pair.alpha / 2.0;
    Assessment {
        rule,
        value: Some(p),
        interval: None,
        decision: Some(p <= level),
        sentence: format!(
            "Against a sceptic of the original the one-sided {}p-value is {}, {} the {}level {level}.",
            if scaling == Scaling::Golden { "golden " } else { "" },
            number(p),
            if p <= level { "within" } else { "above" },
            if scaling == Scaling::Nominal {
                "nominal "
            } else {
                ""
            },
        ),
    }
}

/// The sum of both studies' one-sided p-values in the original's direction,
/// below `√2` times half of `alpha`: two trials' error, however it is shared out
/// between them. By estimates and standard errors.
pub fn sum_of_p_values(pair: &StudyPair) -> Assessment {
    let rule = Rule::SumOfPValues;
    let Some(same) = pair.same_sign() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let half = |study: &StudyEstimate| p_value(study) / 2.0;
    let (original, tail) = (half(&pair.original), half(&pair.replication));
    let replication = if same { tail } else { 1.0 - tail };
    let (sum, limit) = (original + replication, sum_of_p::limit(pair.alpha / 2.0));
    Assessment {
        rule,
        value: Some(sum),
        interval: None,
        decision: Some(sum < limit),
        sentence: format!(
            "In the original's direction the one-sided p-values are {} and {}{}; their sum {} is {} {}.",
            number(original),
            number(replication),
            on_df(&pair.replication),
            number(sum),
            if sum < limit { "below" } else { "not below" },
            number(limit)
        ),
    }
}

pub(super) const NO_SIGN: &str =
    "The original estimate is zero and has no direction, so this criterion does not apply.";

fn the_sign(same: bool) -> &'static str {
    if same { "the same" } else { "not the same" }
}
