//! Repairs of a script's text.

pub mod paths;
pub mod repair;
pub mod working_folder;
