//! The Docker sandbox against a real daemon; says 'skipped' where none answers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod ado_files;
mod build;
mod capsule;
mod egress;
mod engine;
mod faults;
mod held_to_lock;
mod images;
#[path = "../need/mod.rs"]
mod need;
mod old_scripts;
mod parallel;
mod podman;
mod private;
mod run;
mod served;
/// Studies with scripted agents, as the tests of the command line have them.
#[allow(dead_code, reason = "not every part is needed here")]
#[path = "../cli"]
mod studies {
    pub mod scripted_study;
    pub mod support;
}
mod support;
