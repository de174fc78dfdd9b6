//! Programs of others as agents of capsules: a fake one for each dialect against a scripted provider, in
//! the sandboxes of this machine; says 'skipped' where a sandbox is lacking.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod added;
mod asked;
mod attempt;
mod bench;
mod dated;
mod dialects;
mod ends;
mod gateway;
mod hal;
#[path = "../cli/index_server.rs"]
#[allow(dead_code, reason = "the tests of the command line use the rest")]
mod index_server;
mod killed;
#[path = "../need/mod.rs"]
mod need;
mod notebook;
mod provider;
mod real;
mod refused;
mod registry;
mod safety;
#[path = "../capsule/sandboxes.rs"]
mod sandboxes;
mod study;
#[path = "../model/support/mod.rs"]
#[allow(dead_code, reason = "the tests of models use the rest")]
mod support;
