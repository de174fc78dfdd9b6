//! The dispatcher: decide, perform, append, fold.

pub mod archive;
pub mod dispatch;
pub mod earlier;
pub mod error;
pub mod facts;
pub mod folder;
pub mod put;
pub mod request;
pub mod session;
pub mod variants;
pub mod watch;
