//! The page of a bench.

pub mod page;
