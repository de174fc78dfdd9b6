//! `reprise batch`: several studies, out of one budget.

pub mod args;
mod batch_run;
mod planned;
mod row;
pub mod verb;
