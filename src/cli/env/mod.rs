//! `reprise env`: what an analysis needs, and the lock of it.

pub mod args;
mod lock_table;
mod make_lock;
mod survey_table;
pub mod verb;
