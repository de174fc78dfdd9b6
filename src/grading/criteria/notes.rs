//! Notes that a reader of a report's criteria needs, in sentences.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::study_kind::Observations;
use crate::statistics::precision::Basis;

pub const NO_ORIGINAL: &str = "The original gives no estimate, so this criterion does not apply.";
pub const LOGGED: &str = "Ratios are compared as logarithms, so no effect is 0. The estimates, intervals and standard errors named here \
     are logarithms. If no standard error is given, it is taken from the interval.";
pub const NO_POWER: &str = "No result that was extracted from the paper contains a number of the claim, so no power for the claim's effect is \
     given.";
pub const NO_EVIDENCE: &str =
    "The claim is that there is no effect. Two compatible estimates are no evidence for it.";
pub const NO_SIGN: &str =
    "The claim is that there is no effect. It has no sign, so this criterion does not apply.";

/// The source of a study's standard error, where it reports none.
pub fn derived(study: &str, basis: Basis) -> Option<String> {
    let from = match basis {
        Basis::Reported => return None,
        Basis::ConfidenceInterval => "its confidence interval",
        Basis::PValue => "its p-value",
        Basis::DegreesOfFreedom => "its correlation and degrees of freedom",
        Basis::SampleSize => "its correlation and n",
    };
    Some(format!("The standard error of the {study} is taken from {from}."))
}

/// What follows from observations that are not new.
pub fn observed(criterion: &Criterion) -> Option<String> {
    match criterion.observations? {
        Observations::New => None,
        Observations::Same => Some(
            "The observations are the original's own, so the question is whether its numbers come out again. Criteria \
             that assume two independent samples are not computed. Estimate, statistic, p and n are compared by \
             SCORE's rule (precise: equal at the printed digits; approximate: within 15 %, p within .05). SCORE has no \
             rule for standard errors and intervals; reprise uses the same limits for them."
                .to_owned(),
        ),
        Observations::PartlySame => Some(match criterion.shared_observations {
            Some(shared) => format!(
                "{shared} of the observations are the original's own. The criteria marked * assume that the samples are \
                 independent, and they are not."
            ),
            None => "Some of the observations are the original's own (how many is not known). The criteria marked * \
                     assume that the samples are independent, and they are not."
                .to_owned(),
        }),
    }
}

/// A registered original that is not the one shown in the report.
pub fn differing(criterion: &Criterion, original: &Finding) -> Option<String> {
    let registered = criterion.original.as_ref()?.estimate?;
    let shown = original.estimate?;
    let apart = (registered - shown).abs() > 0.005 * shown.abs();
    apart.then(|| {
        format!(
            "The plan registered {registered} as the original's estimate, and {shown} was extracted from the \
             paper. The criterion that decides uses the registered one."
        )
    })
}
