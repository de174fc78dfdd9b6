//! Readers of what a study folder holds: papers, reports and data.
//!
//! Content decides what a file is, never its name. Every reader is bounded in
//! time and memory, and says what it could not read.

pub mod capped;
pub mod code_text;
pub mod decompressed;
pub mod document;
pub mod docx;
pub mod helper;
pub mod html;
mod html_elements;
pub mod kind;
pub mod limits;
mod mixed_lines;
pub mod notebook;
pub mod pdf;
pub mod picture;
pub mod read;
pub mod sniff;
pub mod table;
pub mod text;
pub mod zip_size;
