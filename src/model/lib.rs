//! Language models behind one trait: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod model;

use reprise_core::{policy, settings};
use reprise_domain::domain;
