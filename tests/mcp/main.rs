//! `reprise agents mcp`: a run carried by clients of the Model Context Protocol: one that is written by hand here, the
//! real ones of PyPI and npm, and coding agents. Sessions are in the local sandbox; says 'skipped' where that is
//! lacking.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod agents;
mod coding_agent;
mod contract;
mod hostile;
mod http;
mod lasting;
mod model;
#[path = "../need/mod.rs"]
mod need;
mod npm;
mod place;
mod pypi;
mod stdio;
mod study;
