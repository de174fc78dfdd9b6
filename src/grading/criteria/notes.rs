//! Notes that a reader of a report's criteria needs, in sentences.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::study_kind::Observations;
use crate::statistics::precision::Basis;
use crate::verdict::criteria::study::StudyEstimate;

use crate::domain::format;
use crate::grading::criteria::shared_axis::Z95;

pub const NO_ORIGINAL: &str = "The original gives no estimate, so this criterion does not apply.";
pub const LOGGED: &str = "Ratios are compared as their logarithms, where no effect is 0: estimates, intervals and standard errors named \
     here are of these, and an error that is not given is taken from the interval.";
pub const NO_POWER: &str = "No result that was extracted from the paper holds a figure of the claim, so that no power for its effect is given.";
pub const NO_EVIDENCE: &str =
    "The claim is of no effect; that two estimates are compatible is no evidence for it.";
pub const NO_SIGN: &str =
    "The claim is of no effect and has no sign to ask for, so this criterion does not apply.";

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

/// Why a study has another 95 % interval in these sentences than the one that it reports.
pub fn two_intervals(study: &str, finding: &Finding, computed: &StudyEstimate) -> Option<String> {
    let reported = finding
        .interval
        .filter(|interval| (interval.level - 0.95).abs() < 1e-9)?;
    let half = Z95 * computed.standard_error;
    let (lower, upper) = (computed.estimate - half, computed.estimate + half);
    let apart = (lower - reported.lower).abs().max((upper - reported.upper).abs());
    let shown = |lower, upper| format!("[{}, {}]", format::estimate(lower), format::estimate(upper));
    (apart > 0.005 * (upper - lower)).then(|| {
        format!(
            "The {study} reports the 95% interval {}, which the figure draws; these criteria take ± 1.96 standard \
             errors, {}.",
            shown(reported.lower, reported.upper),
            shown(lower, upper)
        )
    })
}

/// What follows from observations that are not new.
pub fn observed(criterion: &Criterion) -> Option<String> {
    match criterion.observations? {
        Observations::New => None,
        Observations::Same => Some(
            "The observations are the original's own: the question is whether its numbers come out again. What takes \
             two independent samples is not computed. Estimate, statistic, p and n go by SCORE's rule (precise: equal \
             at the printed digits; approximate: within 15 %, p within .05); for standard errors and intervals it has \
             none, and the same shares are ours."
                .to_owned(),
        ),
        Observations::PartlySame => Some(match criterion.shared_observations {
            Some(shared) => format!(
                "{shared} of the observations are the original's own, so that the criteria marked * take two samples \
                 for independent that are not."
            ),
            None => "Some of the observations are the original's own (how many is not known), so that the criteria \
                     marked * take two samples for independent that are not."
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
            "The plan registered {registered} as the original's estimate, and {shown} is the one that was \
             extracted; the criterion that decides goes by the registered one."
        )
    })
}
