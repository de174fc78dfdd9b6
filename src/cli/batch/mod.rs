//! `reprise batch`: several studies, out of one budget.

pub mod args;
mod planned;
mod table;
pub mod verb;
