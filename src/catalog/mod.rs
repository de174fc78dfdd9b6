//! Stages, schemas and artifacts as typed, validated definitions, embedded and overridable by a folder.
//!
//! [`artifacts`] holds the types of the five agent answers; [`schemas`]
//! generates their JSON Schemas; [`normalise`] reads an answer leniently into
//! its one canonical shape; [`stages`] holds the prompts and limits.

pub mod agents;
pub mod artifact_check;
pub mod artifact_kind;
pub mod artifacts;
pub mod claim_figures;
pub mod criterion_page;
pub mod extraction;
pub mod fault;
pub mod fit;
pub mod normalise;
pub mod outline;
#[cfg(test)]
mod released;
pub mod reshape;
pub mod rubrics;
pub mod schemas;
pub mod stages;
pub mod unknown_agent;
