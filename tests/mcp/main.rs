//! `reprise mcp`: a run carried by clients of the Model Context Protocol, written by hand here, and by the
//! real ones of PyPI and npm. Sessions are in the local sandbox; says 'skipped' where that is lacking.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod contract;
mod hostile;
mod http;
mod lasting;
#[path = "../need/mod.rs"]
mod need;
mod npm;
mod place;
mod pypi;
mod stdio;
mod study;
