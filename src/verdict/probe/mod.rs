//! Probes of the origin of a result: it comes from the data or not, told from approved code that
//! ran again on changed data.
//!
//! A result that comes from them is not there without them, scatters about its
//! null when the focal predictor is permuted, and moves by the order of its
//! standard error when a tenth of the rows is gone. Each is judged by its size,
//! so that another digit is no change, and each sequentially, so that no more is
//! run than it takes.

pub mod aligned;
pub mod case;
pub mod distance;
pub mod dropped;
pub mod further;
pub mod groups;
pub mod joint_moves;
pub mod judgement;
pub mod literal;
pub mod meaning;
pub mod missing_data;
pub mod outcome;
pub mod permuted;
pub mod planned;
pub mod printed_place;
pub mod scatter;
pub mod schedule;
pub mod unchanged;
pub mod words;

#[cfg(test)]
mod joint_moves_tests;
#[cfg(test)]
mod judgement_tests;
#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod outcome_tests;
#[cfg(test)]
mod simulation_tests;
