//! Scores against released data and independent implementations.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

#[path = "../oracles/mod.rs"]
mod oracles;
mod shared;

mod aggregate;
mod agreement;
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
mod untrusted;
mod url_match;
