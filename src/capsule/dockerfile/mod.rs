//! A reader of Dockerfiles, as capsules are published with: the packages that they install, as
//! typed values, and every line that is not followed. Nothing of them is run.

mod apt;
pub mod base_image;
pub mod base_table;
mod conda;
pub mod error;
mod instructions;
mod pip;
mod placed_word;
pub mod published;
mod r_arguments;
mod r_code;
pub mod read;
mod reading;
mod requirements;
mod run;
mod shell;
#[cfg(test)]
mod tests;
pub mod text;
mod variables;
