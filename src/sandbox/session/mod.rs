//! Sessions: one shell, or one kernel, in a sandbox, whose state lasts from command to command.
//!
//! The engine and the session exchange files in a folder that both see ([`exchange`]). What
//! the session writes there is whatever the code in the sandbox makes of it: names are opened
//! without following links, and read to a cap.

pub mod exchange;
pub mod indexes;
pub mod kernel;
pub mod processes;
pub mod reply;
pub mod shell;
