//! Tables of every format in one shape in memory.
//!
//! Labels, missing-value codes, factor levels and dates survive reading. What
//! a table decodes to is counted against a memory cap while it is read.

mod around;
pub mod ask;
pub mod budget;
pub mod bytes;
pub mod choose;
pub mod column;
#[cfg(feature = "columnar")]
pub mod columnar;
pub mod dates;
pub mod delimited;
pub mod describe;
pub mod dta;
pub mod grid;
pub mod guess;
pub mod hints;
pub mod json;
pub mod masked;
pub mod moments;
pub mod number;
#[cfg(feature = "columnar")]
pub mod parquet_file;
pub mod personal;
pub mod r;
pub mod records;
#[cfg(feature = "sas")]
pub mod sas;
pub mod sav;
pub mod sheet;
pub mod string_column;
pub mod written;
