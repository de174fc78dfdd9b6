//! `reprise capsule`: papers' code and data with questions about their results.

pub mod args;
mod check;
mod fetch;
mod grade;
mod list;
pub mod verb;
