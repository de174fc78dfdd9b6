//! `reprise bench`: tasks x agents x settings x repeats, as one file says.

mod allotment;
pub mod args;
mod audit;
mod cell_plan;
mod cell_spec;
pub mod collect;
pub mod core;
mod estimate;
mod file;
mod local_run;
mod node_check;
mod opened;
mod options;
mod planned_cells;
pub mod replicatorbench;
mod results;
mod slurm;
mod standing;
pub mod status;
pub mod stop;
mod submission;
pub mod submit;
mod tasks;
mod told;
mod trivial_agents;
pub mod verb;
pub mod work;
