//! Rubrics of judges, as data: scales, anchored examples and prompts.
//!
//! They are embedded from `rubrics/`. A folder of the same layout can take their
//! place: `system.md`, `protocol.md`, `<stage>/rubric.toml` and `<stage>/prompt.md`. The examples come from studies made up for the
//! purpose, so that no benchmark study is given away to a judge. `trace/` is the rubric of reviews of conversations, which has no marks.

pub mod definition;
pub mod load;
pub mod trace_load;
pub mod trace_rubric;
