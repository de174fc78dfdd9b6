//! The verb, in programs that speak the protocol and in those that do not.

use super::args::McpArgs;
#[cfg(feature = "mcp")]
use super::serving::serve;
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

/// Serves one run to clients.
///
/// # Errors
/// A task or a folder that cannot be used, or an address that is taken or not of loopback.
#[cfg(feature = "mcp")]
pub async fn mcp(program: &Program, printer: Printer, args: McpArgs) -> Result<Status, Failure> {
    serve(program, printer, args).await
}

/// Refuses, since this program was built without the protocol.
///
/// # Errors
/// That, and the way out.
#[cfg(not(feature = "mcp"))]
pub async fn mcp(_: &Program, _: Printer, _: McpArgs) -> Result<Status, Failure> {
    Err(Failure::usage(
        "this program does not speak the Model Context Protocol: build one that does with `cargo build --features mcp`",
    ))
}
