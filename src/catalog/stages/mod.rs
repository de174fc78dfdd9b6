//! The definitions of the stages: prompts, tools and limits, as data.
//!
//! They are embedded from `stages/`. A folder of the same layout overrides
//! single files: `system.md`, `protocol.md`, `<stage>/stage.toml`,
//! `<stage>/prompt.md` and `<stage>/system.md`. `<stage>/agents/<name>/` holds an agent
//! that can go through the stage: what it changes of it, and its conversation where that is
//! not our own loop's.

pub mod agent_file;
pub mod agent_limits;
mod agent_loading;
#[cfg(test)]
mod agent_tests;
pub mod context;
pub mod definition;
pub mod dialogue;
pub mod fault;
mod files;
pub mod inputs;
pub mod load;
pub mod part_names;
pub mod plain_agent;
pub mod stage_file;
pub mod template;
#[cfg(test)]
mod tests;
