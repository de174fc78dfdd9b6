//! The scores of runs: what code decides, what judges say, and both as files
//! and as a page.
//!
//! Scoring reads a run and its study's references, and never runs an agent.

pub mod agreement_page;
pub mod baselines;
pub mod card;
pub mod code;
pub mod files;
pub mod heat;
pub mod judged;
pub mod kept;
pub mod look;
pub mod material;
pub mod naming;
pub mod page;
pub mod together;
