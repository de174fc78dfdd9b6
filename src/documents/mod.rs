//! Readers of what a study folder holds: papers, reports and data.
//!
//! Content decides what a file is, never its name. Every reader is bounded in
//! time and memory, and says what it could not read.

pub mod document;
pub mod kind;
pub mod pdf;
pub mod sniff;
pub mod text;
