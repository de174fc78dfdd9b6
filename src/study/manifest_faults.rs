//! Faulty values of `study.toml`, each as a sentence with the way out.

use super::reference::Reference;
use crate::domain::criterion::FixedCriterion;
use crate::statistics::precision::usable_df;

/// Why a fixed rule cannot be registered as it stands.
pub fn criterion_fault(criterion: &FixedCriterion) -> Option<String> {
    if let Some(alpha) = criterion.alpha.filter(|alpha| !(*alpha > 0.0 && *alpha < 0.5)) {
        return Some(format!(
            "`criterion.alpha = {alpha}` is no level: take a number above 0 and below 0.5"
        ));
    }
    let two_sided = criterion.two_sided.unwrap_or(true);
    let claimed = criterion.direction;
    let claim = claimed.and_then(|claimed| claimed.misfit(criterion.rule, two_sided));
    let parameters = criterion.parameters.misfits(criterion.rule);
    claim.iter().chain(&parameters).next().map(|misfit| {
        format!(
            "`criterion.{}`: {}; take {}",
            misfit.name, misfit.problem, misfit.expected
        )
    })
}

/// Why the published figures or the smallest effect of interest cannot be used.
pub fn reference_fault(reference: &Reference) -> Option<String> {
    if let Some(sesoi) = reference.sesoi.as_ref() {
        if sesoi.fisher().is_none() {
            return Some(format!(
                "`sesoi.value = {}` in the unit `{}` is no smallest effect of interest: take a correlation above 0 \
                 and below 1, with `unit = \"r\"`",
                sesoi.value, sesoi.unit
            ));
        }
        if sesoi.source.trim().is_empty() {
            return Some(
                "`sesoi.source` is empty: say who calls this the smallest effect of interest".to_owned(),
            );
        }
    }
    let original = reference.original.as_ref()?;
    if let Some(tails) = original.tails.filter(|tails| !matches!(tails, 1 | 2)) {
        return Some(format!("`original.tails = {tails}`: a test has 1 or 2"));
    }
    let df = original.df.filter(|df| !usable_df(*df))?;
    Some(format!(
        "`original.df = {df}` is no number of degrees of freedom: take a finite one above zero, or leave it out \
         where the test is not by t"
    ))
}
