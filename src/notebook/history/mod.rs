//! Histories of attempts: steps with their observations, as runs of ours and the published ones write them.

pub mod fault;
pub mod own_file;
mod python_literal;
pub mod read;
mod released_json;
mod released_notebook;
pub mod step;
mod untyped;
