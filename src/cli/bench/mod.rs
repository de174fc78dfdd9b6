//! `reprise bench`: tasks x agents x settings x repeats, as one file says.

pub mod args;
mod audit;
mod cell_plan;
mod cell_spec;
pub mod core;
mod estimate;
mod file;
mod options;
pub mod replicatorbench;
mod results;
mod tasks;
mod trivial_agents;
pub mod verb;
