//! Reviews of conversations: closed fields that a judge fills in, as far as code does not.
//!
//! A judge is shown the conversation in blocks, never a grade and never a reference. Fields that
//! code settles are not asked; what is answered is held against the closed values, against the
//! invariants of the rubric, and against the blocks that were shown. Several repeats show the values
//! in other orders; a field has the value of most of them, or none.

pub mod answer;
pub mod ask;
pub mod block;
pub mod conversation;
mod program_results;
pub mod reviewer;
pub mod settled;
pub mod shown;
pub mod trace_review;
