//! Package indexes, asked for what was there on a day: the simple index of Python in JSON, and CRAN-like
//! archives of R.

pub mod addresses;
pub mod client;
pub mod error;
pub mod locking;
pub mod news;
pub mod python;
pub mod r;
mod waits;
