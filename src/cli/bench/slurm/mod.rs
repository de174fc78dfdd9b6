//! Slurm as the engine of a bench: what is asked of it, and what it says.

pub mod client;
pub mod queue;
pub mod script;
pub mod shape;
