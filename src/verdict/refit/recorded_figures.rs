//! The figures of a recorded result, on the scale of the coefficients.

use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::statistics::distributions::normal_quantile;
use crate::verdict::additive::additive;
use crate::verdict::derived_error::error_of_statistic;
use crate::verdict::figure::half_unit;

use super::candidate::Candidate;

/// A recorded estimate and its error, with what their digits leave open.
#[derive(Debug, Clone, Copy)]
pub struct RecordedFigures {
    pub estimate: f64,
    pub error: Option<f64>,
    /// Whether the recorded p-value, or else estimate and error, pass the test that decides.
    pub is_significant: Option<bool>,
    /// Half a unit of the last digit of each.
    rounding: f64,
    error_rounding: f64,
}

impl RecordedFigures {
    /// The figures of a finding, without its error unless `has_errors`; `None` if it has no estimate, or a ratio that
    /// is not above zero. `level` is that of a two-sided test that decides.
    pub fn new(finding: &Finding, level: Option<f64>, has_errors: bool) -> Option<Self> {
        let raw = finding.estimate?;
        let is_ratio = finding.scale == Some(Scale::Ratio);
        let mut moved = match is_ratio {
            true => additive(finding, Scale::Ratio, None).ok()?,
            false => finding.clone(),
        };
        let is_printed = moved.standard_error.is_some() && !is_ratio;
        error_of_statistic(&mut moved);
        let estimate = moved.estimate?;
        let error = moved.standard_error.filter(|error| *error > 0.0 && has_errors);
        let relative = half_unit(raw) / raw.abs().max(f64::MIN_POSITIVE);
        let by_error = || Some((estimate / error?).abs() > normal_quantile(1.0 - level? / 2.0));
        Some(Self {
            estimate,
            error,
            is_significant: level
                .and_then(|level| finding.p_value?.below(level))
                .or_else(by_error),
            rounding: if is_ratio { relative } else { half_unit(raw) },
            error_rounding: error.map_or(0.0, |error| match is_printed {
                true => half_unit(error),
                // It follows from other figures, and has their digits.
                false => error * (relative + 1e-3),
            }),
        })
    }

    /// Whether the estimate is that of a fit, within so many standard errors and its digits.
    pub fn has_estimate(&self, one: &Candidate<'_>, tolerance: f64) -> bool {
        (self.estimate - one.estimate).abs() <= tolerance * one.error + self.rounding
    }

    /// Whether the error is that of a fit, within a share of it and its digits.
    pub fn has_error(&self, one: &Candidate<'_>, tolerance: f64) -> bool {
        self.error
            .is_none_or(|error| (error - one.error).abs() <= tolerance * one.error + self.error_rounding)
    }

    /// The same as if no digit had been rounded away.
    pub fn unrounded(&self) -> Self {
        Self {
            rounding: 0.0,
            error_rounding: 0.0,
            ..*self
        }
    }

    /// Whether both are those of the fit in another unit, as of a standardised column.
    pub fn is_in_other_units(&self, one: &Candidate<'_>, tolerance: f64) -> bool {
        let Some(error) = self.error else { return false };
        let (own, fitted) = (self.estimate / error, one.estimate / one.error);
        let rounding = self.rounding / error + self.error_rounding / error * own.abs();
        (own - fitted).abs() <= tolerance * fitted.abs() + rounding
    }
}
