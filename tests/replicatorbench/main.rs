//! Studies of ReplicatorBench, in their own folders and by their own scripts,
//! beside what their human replicators reported. `README.md` has the story.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod figures;
mod folders;
mod judged;
#[path = "../need/mod.rs"]
mod need;
mod place;
mod ran;
mod replications;
mod tables;
