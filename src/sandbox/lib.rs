//! Sandboxes that code runs in: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod sandbox;

use reprise_core::{addresses, environment, policy};
use reprise_domain::domain;

// What the tests need of a machine.
#[cfg(test)]
#[path = "../../tests/need/mod.rs"]
mod need;
