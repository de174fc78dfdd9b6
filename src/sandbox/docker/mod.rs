//! The sandbox of a Docker-compatible daemon: images made from declared
//! packages, and one hardened container for each execution.

pub mod container;
pub mod daemon;
pub mod egress;
pub mod facts;
pub mod guard;
pub mod image;
pub mod labels;
mod raw;
pub mod sandbox;
pub mod settings;
