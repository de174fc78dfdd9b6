//! Mentions and pins as packages that are needed, and as questions.

pub mod commands;
pub mod conda_names;
pub mod groups;
pub mod local_modules;
pub mod marker_trees;
pub mod markers;
pub mod module_span;
pub mod needed;
pub mod other_names;
pub mod own_packages;
pub mod packages;
pub mod pinned;
pub mod python;
pub mod r;
pub mod reached;
pub mod readable;
