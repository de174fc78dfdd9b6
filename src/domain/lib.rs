//! Plain data of a run: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod domain;
