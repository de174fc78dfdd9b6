//! Distributions, intervals, precision, effects on common scales, power and
//! Bayes factors: one definition of each.

pub mod bayes_factors;
pub mod correlation;
pub mod correspondence;
pub mod distributions;
pub mod effect_size;
pub mod generator;
pub mod intervals;
pub mod least_squares;
pub mod log_odds;
pub mod power;
pub mod precision;
pub mod proportion;
pub mod quadrature;
pub mod resampling;
pub mod sceptical;
pub mod standardized;
pub mod sum_of_p;
