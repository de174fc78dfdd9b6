//! Distributions, intervals and precision: one definition of each.

pub mod distributions;
pub mod intervals;
pub mod precision;
pub mod proportion;
