//! The table of old code's messages: examples of every entry, broken scripts, released logs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod examples;
#[path = "../need/mod.rs"]
mod need;
mod outputs;
mod released_logs;
mod scripts;
