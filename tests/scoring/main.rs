//! Scores against released data and independent implementations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../need/mod.rs"]
mod need;
#[path = "../oracles/mod.rs"]
mod oracles;

mod action_strings;
mod aggregate;
mod agreement;
mod analysis;
mod capsule_grading;
mod checkpoints;
mod corrections;
mod endings;
mod failures;
mod fields;
mod figures;
mod judge;
mod meant;
mod outcome;
mod pairs;
mod paths;
mod phrases;
mod records;
mod resampling;
mod score;
mod shared;
mod untrusted;
mod url_match;
mod verdict;
