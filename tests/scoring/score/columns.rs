//! SCORE's binary criteria, each from the numbers of both sides.

use reprise::domain::finding::Interval;
use reprise::domain::rule::Rule;
use reprise::domain::statistic::StatisticKind;
use reprise::statistics::bayes_factors::{MEDIUM, default_t, largest, moment_f, moment_z};
use reprise::statistics::distributions::normal_quantile;
use reprise::statistics::power::correlation_with_power;
use reprise::statistics::sceptical::{self, Scaling};
use reprise::statistics::{correlation, sum_of_p};
use reprise::verdict::criteria::assess::apply;
use reprise::verdict::criteria::assessment::Assessment;

use crate::score::claims::{Claim, Side};

/// A column of the table and how it is decided here.
pub struct Column {
    pub name: &'static str,
    pub decide: fn(&Claim) -> Option<bool>,
}

pub const COLUMNS: [Column; 12] = [
    column("analyst", analyst),
    column("orig_wthn", original_within),
    column("rep_wthn", replication_within),
    column("meta_success", meta_analytic),
    column("wthn_pi", prediction_interval),
    column("sum_p", sum_of_p_values),
    column("telescopes", small_telescopes),
    column("bayes_rep", replication_bayes_factor),
    column("bma_result", model_average),
    column("skep_p", sceptical_p),
    column("correspondence", correspondence),
    column("bf_result", default_bayes_factor),
];

const fn column(name: &'static str, decide: fn(&Claim) -> Option<bool>) -> Column {
    Column { name, decide }
}

fn within(value: Option<f64>, interval: Option<Interval>) -> Option<bool> {
    let interval = interval?;
    Some((interval.lower..=interval.upper).contains(&value?))
}

fn rule(claim: &Claim, rule: Rule) -> Option<Assessment> {
    Some(apply(rule, &claim.pair()?))
}

/// The interpretation of the people who replicated; 'complicated' is neither.
fn analyst(claim: &Claim) -> Option<bool> {
    match claim.text("repli_interpret_supported")? {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn original_within(claim: &Claim) -> Option<bool> {
    within(claim.original().r, claim.replication().interval)
}

fn replication_within(claim: &Claim) -> Option<bool> {
    within(claim.replication().r, claim.original().interval)
}

/// The same two by intervals that are computed here from the statistics.
pub fn original_within_computed(claim: &Claim) -> Option<bool> {
    within(claim.original().r, claim.replication().interval_of_statistic())
}

pub fn replication_within_computed(claim: &Claim) -> Option<bool> {
    within(claim.replication().r, claim.original().interval_of_statistic())
}

fn meta_analytic(claim: &Claim) -> Option<bool> {
    rule(claim, Rule::MetaAnalytic)?.decision
}

fn prediction_interval(claim: &Claim) -> Option<bool> {
    rule(claim, Rule::PredictionInterval)?.decision
}

fn correspondence(claim: &Claim) -> Option<bool> {
    rule(claim, Rule::Correspondence)?.decision
}

fn replication_bayes_factor(claim: &Claim) -> Option<bool> {
    let factor = rule(claim, Rule::ReplicationBayesFactor)?.value?;
    Some(factor > 1.0 && claim.pattern())
}

fn model_average(claim: &Claim) -> Option<bool> {
    let factor = rule(claim, Rule::ModelAveragedBayesFactor)?.value?;
    Some(factor > 3.0 && claim.pattern())
}

fn sum_of_p_values(claim: &Claim) -> Option<bool> {
    let [original, replication] = claim.p_values()?;
    Some((original + replication) / 2.0 < sum_of_p::limit(0.025) && claim.pattern())
}

fn small_telescopes(claim: &Claim) -> Option<bool> {
    let (original, replication) = (claim.original(), claim.replication());
    let small = correlation_with_power(1.0 / 3.0, original.n?, 0.05)?;
    let interval = replication.interval?;
    Some(if original.r? > 0.0 {
        interval.upper > small
    } else {
        interval.lower < -small
    })
}

/// The two-sided golden p-value of both p-values and the ratio of the samples.
pub fn golden_p(claim: &Claim) -> Option<f64> {
    let z = |p: f64| -normal_quantile(if p == 0.0 { 1e-4 } else { p } / 2.0);
    let [original, replication] = claim.p_values()?.map(z);
    let ratio = claim.replication().n? / claim.original().n?;
    let z = sceptical::z_value(original, replication, ratio)?;
    Some(2.0 * sceptical::p_value(z, true, Scaling::Golden))
}

/// As SCORE decides: the golden p-value, which is on the scale of an ordinary
/// one, against the golden level of .05, which is on the nominal scale.
fn sceptical_p(claim: &Claim) -> Option<bool> {
    Some(golden_p(claim)? < 2.0 * sceptical::golden_level(0.025) && claim.pattern())
}

/// As published: the golden p-value against .05.
pub fn sceptical_p_as_published(claim: &Claim) -> Option<bool> {
    Some(golden_p(claim)? < 0.05 && claim.pattern())
}

/// The logarithm of the default Bayes factor in the form that the statistic asks for.
fn log_default(side: &Side) -> Option<f64> {
    let n = side.n?;
    match side.kind.as_ref()? {
        StatisticKind::T => {
            side.df[0]?;
            default_t(side.value?, n, n - 1.0, MEDIUM)
        }
        StatisticKind::F => {
            let (f, df) = (side.value?, [side.df[0]?, side.df[1]?]);
            Some(largest(|effect| moment_f(f, df, n, effect)))
        }
        StatisticKind::Z => {
            let (z, n) = (side.value?, side.freedom.map_or(n, |effective| effective.min(n)));
            Some(largest(|effect| moment_z(z, n, effect)))
        }
        StatisticKind::ChiSquared => {
            let r = side.r?;
            default_t(r / correlation::standard_error(r, n), n, n - 1.0, MEDIUM)
        }
        _ => None,
    }
}

fn default_bayes_factor(claim: &Claim) -> Option<bool> {
    let log = log_default(&claim.replication())?;
    Some(log > 10.0_f64.ln() && claim.pattern())
}
