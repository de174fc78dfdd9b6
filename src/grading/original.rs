//! The original's focal finding: as it was extracted, completed by published figures.

use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::domain::finding::Finding;
use crate::study::reference::Original;

/// The original's focal finding as the agent extracted it, completed by the
/// published figures where both are plainly the same estimate.
pub fn original(registered: Option<&PostRegistration>, published: Option<&Original>) -> Option<Finding> {
    let published = published.map(Original::finding);
    let extracted = registered.and_then(|answer| answer.original_findings().into_iter().next());
    let (Some(mut extracted), Some(known)) = (extracted.clone(), published.clone()) else {
        return extracted.or(published);
    };
    let same = match (extracted.estimate, known.estimate) {
        (Some(one), Some(other)) => is_same(one, other),
        _ => false,
    };
    if same {
        extracted.standard_error = extracted.standard_error.or(known.standard_error);
        extracted.p_value = extracted.p_value.or(known.p_value);
        extracted.n = extracted.n.or(known.n);
        extracted.df = extracted.df.or(known.df);
        extracted.statistic = extracted.statistic.or(known.statistic);
        extracted.sides = extracted.sides.or(known.sides);
        extracted.scale = extracted.scale.or(known.scale);
        extracted.interval = extracted.interval.or(known.interval);
    }
    Some(extracted)
}

/// Why published figures stand beside nothing, where the agent extracted
/// another estimate.
pub fn unused_original(
    registered: Option<&PostRegistration>,
    published: Option<&Original>,
) -> Option<String> {
    let (published, registered) = (published?, registered?);
    let extracted = registered.original_findings().into_iter().next()?;
    let why = match extracted.estimate {
        Some(estimate) if is_same(estimate, published.estimate) => return None,
        Some(estimate) => format!("the run extracted {estimate}, which is another estimate"),
        None => "the run extracted a finding without an estimate".to_owned(),
    };
    Some(format!(
        "The figures of `[original]` in study.toml ({} {}) are not used, since {why}: the criteria stand on what the run \
         extracted.",
        published.term, published.estimate
    ))
}

/// Equal but for rounding.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 0.005 * other.abs()
}
