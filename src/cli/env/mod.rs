//! `reprise env`: what an analysis needs, and the lock of it.

pub mod args;
mod survey_table;
pub mod verb;
