//! `reprise agents mcp`.

pub mod args;
#[cfg(feature = "mcp")]
mod prepared;
#[cfg(feature = "mcp")]
mod serving;
#[cfg(feature = "mcp")]
mod study;
pub mod verb;
