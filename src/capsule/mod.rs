//! A capsule: a paper's code and data, with questions about its results.

pub mod gold;
pub mod task_file;
