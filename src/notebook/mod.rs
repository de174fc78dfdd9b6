//! A notebook task: a repository to set up and run, an answer to report, as SUPER has them.

pub mod act;
pub mod category;
pub mod edit;
pub mod export;
pub mod file_command;
pub mod gold;
pub mod history;
pub mod limits;
pub mod pre_cell;
mod record;
pub mod task;
pub mod task_fault;
pub mod task_file;
pub mod task_set;
pub mod terms;
pub mod told;
pub mod window;
