//! `reprise agents mcp`.

pub mod args;
#[cfg(feature = "mcp")]
mod prepared;
#[cfg(feature = "mcp")]
mod serving;
pub mod verb;
