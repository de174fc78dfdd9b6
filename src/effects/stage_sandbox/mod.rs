//! The sandbox of a program that carries one stage of a track whose commands are executed one by one.
//!
//! The program works on a copy of the workspace, without the rows of the data where its stage comes
//! before the plan is carried out. What it leaves below `work/` is taken over when it has ended.

pub mod environment;
mod facts_file;
mod shown_file;
pub mod stage_copy;
pub mod taken_over;
