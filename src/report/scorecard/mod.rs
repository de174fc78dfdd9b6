//! The scores of runs: what code decides, what judges say, and both as files
//! and as a page.
//!
//! Scoring reads a run and its study's references, and never runs an agent.

pub mod agreement_page;
pub mod heat;
pub mod naming;
pub mod page;
