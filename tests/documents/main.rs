//! Readers of papers and data: whole files, damaged ones, and pages that are pictures of text.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod cases;
mod conversion;
mod data;
mod docx;
mod grounding;
mod marked_papers;
mod mutants;
#[path = "../need/mod.rs"]
mod need;
mod pdf;
mod pictures;
mod shared;
