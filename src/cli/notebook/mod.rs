//! `reprise notebook`: repositories to set up and run, as SUPER has them.

pub mod args;
mod attempts;
mod check;
mod export;
mod grade;
mod list;
mod make;
mod opened;
mod run;
pub mod run_args;
pub mod verb;
