//! Mends of a script's text that no replacement of an expression can make.

pub mod imports;
pub mod install_packages;
pub mod paths;
pub mod print_statement;
pub mod python2;
pub mod rule;
pub mod working_folder;
