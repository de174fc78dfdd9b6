//! A capsule of anybody's code: laid out, and executed several times in a sandbox.

pub mod error;
pub mod execution;
pub mod files;
pub mod folder;
