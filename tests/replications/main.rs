//! Whole replications: scripted agents with known truth, studies of ReplicatorBench, and the tokens of a
//! trajectory.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod economy;
#[path = "../need/mod.rs"]
mod need;
#[path = "../replicatorbench/mod.rs"]
mod replicatorbench;
#[path = "../traps/mod.rs"]
mod traps;
