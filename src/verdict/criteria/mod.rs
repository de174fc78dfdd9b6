//! Sixteen published answers to "did it replicate?".
//!
//! One verdict misleads: the same pair of studies can pass some criteria and
//! fail others. Each criterion gives its value, its decision where it makes one,
//! and one plain sentence. Estimates are on one scale, or are compared as the
//! correlations behind their tests. Tests and intervals of one
//! study go by t where its degrees of freedom are given, and so does a standard
//! error that is taken from its interval or p-value; all else is normal theory.

pub mod assess;
pub mod assessment;
pub mod bayes;
pub mod compatibility;
pub mod magnitude;
pub mod primary;
pub mod same_numbers;
pub mod significance;
pub mod study;
