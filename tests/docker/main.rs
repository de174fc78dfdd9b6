//! The Docker sandbox against a real daemon; says 'skipped' where none answers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod build;
mod capsule;
mod egress;
mod engine;
mod faults;
mod images;
#[path = "../need/mod.rs"]
mod need;
mod parallel;
mod podman;
mod private;
mod run;
mod served;
mod support;
