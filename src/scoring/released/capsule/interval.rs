//! Prediction intervals of gold runs.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::numbers::decimal_places;
use super::value::PythonValue;

/// The 97.5 % point of the t distribution with 2 degrees of freedom as SciPy 1.10 computes it, by
/// which the published intervals were made (exactly: 4.302652729749462).
const OF_THREE_RUNS: f64 = 4.302652729911275;

/// Bounds within which another run's answer is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionInterval {
    pub lower: f64,
    pub upper: f64,
}

impl PredictionInterval {
    /// The 95 % prediction interval for one further run: `m ± t s sqrt(1 + 1/n)`. Not a number with
    /// fewer than two runs.
    pub fn new(runs: &[f64]) -> Self {
        let n = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / n;
        let squares: f64 = runs.iter().map(|run| (run - mean) * (run - mean)).sum();
        let deviation = (squares / (n - 1.0)).sqrt();
        let t = match runs.len() {
            0 | 1 => f64::NAN,
            3 => OF_THREE_RUNS,
            _ => StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::NAN, |student| student.inverse_cdf(0.975)),
        };
        let half = t * deviation * (1.0 + 1.0 / n).sqrt();
        Self {
            lower: mean - half,
            upper: mean + half,
        }
    }

    /// As v1.1 widens it: by half a unit of the last place that any run has.
    pub fn widened(self, runs: &[PythonValue]) -> Self {
        let half = 0.5 * 10_f64.powi(-(most_places(runs) as i32));
        Self {
            lower: self.lower - half,
            upper: self.upper + half,
        }
    }

    /// Whether a value lies within, the bounds included.
    pub fn holds(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Whether a value is as close to a bound as `numpy.isclose` calls close.
    pub fn nearly_holds(&self, value: f64) -> bool {
        let close = |bound: f64| (value - bound).abs() <= 1e-8 + 1e-5 * bound.abs();
        close(self.lower) || close(self.upper)
    }
}

/// The most decimal places of any run.
pub fn most_places(runs: &[PythonValue]) -> u32 {
    let places = runs.iter().map(|run| match run {
        PythonValue::Float(value) => decimal_places(*value),
        _ => 0,
    });
    places.max().unwrap_or(0)
}
