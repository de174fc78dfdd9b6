//! The cells of a bench, and figures over them.

pub mod audit;
pub mod bench_figures;
pub mod breakdown;
pub mod cell;
pub mod cell_pairs;
pub mod clusters;
pub mod compare;
pub mod contrasts;
pub mod details;
pub mod figures;
pub mod frontier;
pub mod judge_audit;
pub mod judged;
pub mod judged_cell;
pub mod labelled;
pub mod paired;
pub mod reviews;
