//! Eleven published answers to "did it replicate?".
//!
//! One verdict misleads: the same pair of studies can pass some criteria and
//! fail others. Each criterion gives its value, its decision where it makes one,
//! and one plain sentence. Estimates are on one scale, and normal theory applies
//! unless degrees of freedom are given.

pub mod assess;
pub mod assessment;
pub mod bayes;
pub mod compatibility;
pub mod magnitude;
pub mod primary;
pub mod significance;
pub mod study;
