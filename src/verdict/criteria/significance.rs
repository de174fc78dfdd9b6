//! Criteria that ask for a significant effect: of the replication, of both
//! together, or against a sceptic.

use super::assessment::{Assessment, number, on_df, range};
use super::study::{Pair, Study};
use crate::domain::finding::{PValue, Relation};
use crate::domain::rule::Rule;
use crate::statistics::distributions::{normal_two_sided, normal_upper, t_two_sided};
use crate::statistics::intervals::normal;

/// The two-sided p-value of one study: t where it has degrees of freedom.
pub fn p_value(study: &Study) -> f64 {
    study
        .df
        .map_or_else(|| normal_two_sided(study.z()), |df| t_two_sided(study.z(), df))
}

/// A replication that is significant at `alpha` with the original's sign, by the
/// p-value that it reports, else by its estimate and standard error.
pub fn significance_and_direction(pair: &Pair) -> Assessment {
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
pub fn meta_analytic(pair: &Pair) -> Assessment {
    let rule = Rule::MetaAnalytic;
    let Some(original) = pair.original.direction() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let weight = |study: &Study| study.standard_error.powi(-2);
    let (first, second) = (weight(&pair.original), weight(&pair.replication));
    let pooled = Study {
        estimate: (first * pair.original.estimate + second * pair.replication.estimate) / (first + second),
        standard_error: (first + second).powf(-0.5),
        n: None,
        df: None,
        p: None,
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
///
/// Solves `(zo²/x - 1)(zr²/x - 1) = c` with `c` the ratio of the variances of
/// original and replication; the root is `AH / (A + √(A(A + (c-1)H)))` in the
/// arithmetic and harmonic means of the squared z-values.
pub fn sceptical_p(pair: &Pair) -> Assessment {
    let rule = Rule::ScepticalP;
    let Some(same) = pair.same_sign() else {
        return Assessment::undecided(rule, NO_SIGN);
    };
    let (original, replication) = (pair.original.z().powi(2), pair.replication.z().powi(2));
    let ratio = (pair.original.standard_error / pair.replication.standard_error).powi(2);
    let arithmetic = f64::midpoint(original, replication);
    let harmonic = 2.0 / (1.0 / original + 1.0 / replication);
    let spread = (1.0 + (ratio - 1.0) * (harmonic / arithmetic)).max(0.0).sqrt();
    let x = harmonic / (1.0 + spread);
    if !x.is_finite() {
        return Assessment::undecided(
            rule,
            "The studies' z-values are too extreme for the sceptical p-value.",
        );
    }
    let tail = normal_upper(x.sqrt());
    let p = if same { tail } else { 1.0 - tail };
    let level = pair.alpha / 2.0;
    Assessment {
        rule,
        value: Some(p),
        interval: None,
        decision: Some(p <= level),
        sentence: format!(
            "Against a sceptic of the original the one-sided p-value is {}, {} the nominal level {level}.",
            number(p),
            if p <= level { "within" } else { "above" }
        ),
    }
}

pub(super) const NO_SIGN: &str =
    "The original estimate is zero and has no direction, so this criterion does not apply.";

fn the_sign(same: bool) -> &'static str {
    if same { "the same" } else { "not the same" }
}
