//! A person's own table of statistics: a delimited file with a header, or the
//! lines of a results file.

mod cells;
mod columns;
pub mod parse;
pub mod row;
