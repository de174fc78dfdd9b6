//! `reprise bench`: tasks x agents x settings x repeats, as one file says.

pub mod args;
mod cell_plan;
mod cell_spec;
mod file;
mod options;
mod results;
mod tasks;
pub mod verb;
