//! Stata data files, taken apart by the crate `dta`.

pub mod read;
pub mod text;
pub mod units;
