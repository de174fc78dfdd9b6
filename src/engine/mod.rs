//! The dispatcher: decide, perform, append, fold.

pub mod atomic_file;
pub mod choice;
pub mod dispatch;
pub mod earlier;
pub mod error;
pub mod facts;
pub mod folder;
pub mod request;
pub mod run_reader;
pub mod runs;
pub mod session;
pub mod variants;
pub mod verified_run;
pub mod watch;
