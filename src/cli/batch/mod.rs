//! `reprise batch`: several studies, out of one budget.

pub mod args;
mod carried;
mod planned;
mod row;
pub mod verb;
