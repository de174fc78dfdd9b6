//! The page of a bench.

mod breakdown_tables;
mod cost_chart;
pub mod details;
mod figure_tables;
pub mod page;
pub mod publication;
mod review_tables;
pub mod spdx;
