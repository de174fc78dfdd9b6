//! Packages of R by date: R itself reads the lists of a CRAN-like archive, by the script `by_date.R`.

pub mod description;
pub mod resolution;
pub mod version;
