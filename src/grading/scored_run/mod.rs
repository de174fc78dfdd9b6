//! A run graded by code and by judges: its scorecard, and the files of each judge
//! below its folder.
//!
//! A judge is a model that whoever calls hands in by its name; what it may spend is an
//! account of the kind that runs have.

mod code_grading;
pub mod grading_request;
pub mod judge_grading;
pub mod judge_names;
pub mod judge_source;
pub mod scored;
mod warnings;
