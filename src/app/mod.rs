//! The composition root: the one place that names concrete types.

pub mod agent_trees;
pub mod by_hand;
pub mod capsule_maker;
pub mod clock;
pub mod driver;
pub mod episodes;
pub mod judges;
pub mod live_indexes;
pub mod mcp;
pub mod models;
pub mod process_shared;
pub mod program;
pub mod program_model;
pub mod recorded;
pub mod report_files;
pub mod run;
pub mod run_models;
pub mod run_paper;
pub mod sandboxes;
pub mod searching;
pub mod served;
pub mod session_recording;
pub mod toolset;
pub mod tracks;
pub mod word_report;
