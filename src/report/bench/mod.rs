//! The page of a bench.

mod cost_chart;
mod figure_tables;
pub mod page;
pub mod publication;
