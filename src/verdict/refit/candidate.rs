//! The coefficients that a recorded result may be.

use crate::domain::refit::RefitNumbers;
use crate::statistics::distributions::{normal_quantile, t_quantile};

use super::answer::RefitFit;
use super::coefficient;
use super::planned::PlannedRefit;

/// One coefficient of one fit that may be the focal one.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a str,
    pub fit: &'a RefitFit,
    pub estimate: f64,
    pub error: f64,
}

impl<'a> Candidate<'a> {
    /// The coefficients of the fits that stand for a term and are finite.
    pub fn of_term(fits: &'a [RefitFit], term: &str, columns: &[&str]) -> Vec<Self> {
        let of_fit = |fit: &'a RefitFit| {
            let named = coefficient::of_term(fit.coefficients.keys(), term, columns);
            named.into_iter().filter_map(move |name| {
                let (estimate, error) = *fit.coefficients.get(name)?;
                let usable = estimate.is_finite() && error.is_finite() && error > 0.0;
                usable.then_some(Self {
                    name,
                    fit,
                    estimate,
                    error,
                })
            })
        };
        fits.iter().flat_map(of_fit).collect()
    }

    /// Whether it compares two levels, either of which the plan may take for the base.
    pub fn is_contrast(&self) -> bool {
        self.name.contains('/')
    }

    pub fn numbers(&self, model: &PlannedRefit, n: u64) -> RefitNumbers {
        let member = [self.fit.member.as_str(), self.fit.variant.as_str()];
        let member: Vec<&str> = member.into_iter().filter(|name| !name.is_empty()).collect();
        let kind = self.fit.kind.name();
        RefitNumbers {
            model: model.family.name().to_owned(),
            errors: match member.is_empty() {
                true => kind.to_owned(),
                false => format!("{kind} ({})", member.join(", ")),
            },
            estimate: self.estimate,
            standard_error: self.error,
            n,
        }
    }

    /// Whether it passes a two-sided test at the level.
    pub fn is_significant(&self, level: f64) -> bool {
        let upper = 1.0 - level / 2.0;
        let critical = match self.fit.df {
            Some(df) => t_quantile(upper, df),
            None => normal_quantile(upper),
        };
        (self.estimate / self.error).abs() > critical
    }
}
