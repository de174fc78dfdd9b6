//! The cells of a bench, and figures over them.

pub mod audit;
pub mod cell;
pub mod compare;
pub mod figures;
pub mod frontier;
