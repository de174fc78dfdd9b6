//! `reprise score`: comparisons with references, each beside its trivial baseline.

pub mod args;
pub mod input;
pub mod search;
pub mod summary;
pub mod table;
pub mod verb;
