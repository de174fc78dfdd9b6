//! The composition root: the one place that names concrete types.

pub mod clock;
pub mod models;
pub mod process_shared;
pub mod program;
pub mod recorded;
pub mod run;
pub mod run_models;
pub mod sandboxes;
pub mod searching;
pub mod served;
pub mod toolset;
pub mod tracks;
