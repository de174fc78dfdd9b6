//! `reprise batch`: several studies, out of one budget.

mod carried;
mod planned;
mod row;
pub mod verb;
