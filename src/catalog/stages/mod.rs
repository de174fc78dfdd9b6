//! The definitions of the stages: prompts, tools and limits, as data.
//!
//! They are embedded from `stages/`. A folder of the same layout overrides
//! single files: `system.md`, `protocol.md`, `<stage>/stage.toml`,
//! `<stage>/prompt.md` and `<stage>/system.md`.

pub mod context;
pub mod definition;
pub mod fault;
pub mod inputs;
pub mod load;
pub mod part_names;
pub mod stage_file;
pub mod template;
#[cfg(test)]
mod tests;
