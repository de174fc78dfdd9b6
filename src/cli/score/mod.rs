//! `reprise score`: comparisons with references, each beside its trivial baseline.

pub mod agreement;
pub mod args;
pub mod averages;
pub mod failures;
pub mod outcome;
pub mod runs;
pub mod search;
pub mod sheet;
pub mod show;
pub mod summary;
pub mod verb;
