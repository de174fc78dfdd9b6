//! The scores of runs: what code decides, what judges say, and both as files.

pub mod baselines;
pub mod card;
pub mod code;
pub mod earlier_scores;
pub mod fields_to_review;
pub mod files;
pub mod judged;
pub mod material;
pub mod together;
mod wanted;
