//! Packages of R by date: the two tables of a CRAN-like archive, and the versions of a day.

pub mod description;
pub mod rds;
pub mod resolution;
pub mod snapshot;
pub mod tables;
pub mod tarball;
#[cfg(test)]
mod tests;
pub mod version;
