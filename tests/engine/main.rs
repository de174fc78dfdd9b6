//! The engine: its fold, and what is left of a run that is killed behind any event.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fold;
mod killed;
mod plain_sandbox;
mod world;
