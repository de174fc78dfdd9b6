//! The cells of a bench, and figures over them.

pub mod cell;
pub mod figures;
