//! Scores against released data and independent implementations.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

#[path = "../oracles/mod.rs"]
mod oracles;
mod shared;

mod aggregate;
mod agreement;
mod aliases;
mod checkpoints;
mod corrections;
mod failures;
mod fields;
mod judge;
mod outcome;
mod pairs;
mod untrusted;
