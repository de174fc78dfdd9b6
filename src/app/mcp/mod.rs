//! Runs for clients of the Model Context Protocol: a client in the model's place, with the stage's tools.
//!
//! The state is the run's and no connection's. The calls of the client's own model are not seen here, so
//! that such a run is unmetered. What speaks the protocol is built with the feature `mcp`.

pub mod client_run;
pub mod client_watch;
#[cfg(feature = "mcp")]
pub mod http;
pub mod offer;
pub mod run_stop;
#[cfg(feature = "mcp")]
pub mod server;
#[cfg(feature = "mcp")]
pub mod stdio;
#[cfg(feature = "mcp")]
pub mod tool_list;
