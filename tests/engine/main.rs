//! The engine: opening a study, conversations, the fold, kills behind any event, the
//! network, and reports of a journal.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod conversation;
mod fold;
mod killed;
#[path = "../need/mod.rs"]
mod need;
mod network;
mod plain_sandbox;
mod report;
mod study;
mod world;
