//! `reprise capsule`: papers' code and data with questions about their results.

pub mod args;
mod baseline;
mod check;
mod export;
mod fetch;
mod grade;
mod list;
mod make;
mod make_questions;
mod report;
mod run;
pub mod run_args;
mod serve;
pub mod verb;
