//! Tables of interpreters, packages and commands, as data beside the code.

pub mod commands;
pub mod python_names;
pub mod r_packages;
pub mod releases;
pub mod standard_library;
