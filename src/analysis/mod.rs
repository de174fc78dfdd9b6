//! Statistics over findings and runs.

pub mod criteria;
pub mod distributions;
pub mod intervals;
