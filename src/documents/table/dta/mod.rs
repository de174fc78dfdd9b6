//! Stata data files of the releases 105 to 119, after Stata's own description
//! of the format (`help dta`, and `help dta_113` and its kin for older releases).

mod cells;
mod header;
mod labels;

pub mod read;
