//! Package indexes: their addresses, and the simple index of Python in JSON, asked for what was there on a day.

pub mod addresses;
pub mod client;
pub mod error;
pub mod locking;
pub mod news;
pub mod python;
mod waits;
