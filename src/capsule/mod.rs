//! A capsule: a paper's code and data, with questions about its results.

pub mod answer_check;
pub mod archive;
pub mod candidates;
pub mod dockerfile;
pub mod encrypted;
pub mod gold;
pub mod harbor;
pub mod layout;
pub mod submission;
pub mod task_file;
pub mod terms;
