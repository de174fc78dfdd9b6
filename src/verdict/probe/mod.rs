//! Whether a result comes from the data, told from approved code that ran again on
//! changed data.
//!
//! A result that comes from them is not there without them, scatters about its
//! null when the focal predictor is permuted, and moves by the order of its
//! standard error when a tenth of the rows is gone. Each is judged by its size,
//! so that another digit is no change, and each sequentially, so that no more is
//! run than it takes.

pub mod case;
pub mod distance;
pub mod dropped;
pub mod judgement;
pub mod literal;
pub mod permuted;
pub mod printed_place;
pub mod schedule;
pub mod words;

#[cfg(test)]
mod simulation_tests;
