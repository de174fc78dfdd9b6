//! The pure core: statistics, verdict, run, catalog: a crate of its own, so that an edit above does not build it again.

#[path = "../addresses/mod.rs"]
pub mod addresses;
#[path = "../artifacts/mod.rs"]
pub mod artifacts;
#[path = "../capsule/mod.rs"]
pub mod capsule;
#[path = "../catalog/mod.rs"]
pub mod catalog;
#[path = "../environment/mod.rs"]
pub mod environment;
#[path = "../journal/mod.rs"]
pub mod journal;
#[path = "../notebook/mod.rs"]
pub mod notebook;
#[path = "../policy/mod.rs"]
pub mod policy;
#[path = "../run/mod.rs"]
pub mod run;
#[path = "../settings.rs"]
pub mod settings;
#[path = "../statistics/mod.rs"]
pub mod statistics;
#[path = "../study/mod.rs"]
pub mod study;
#[path = "../verdict/mod.rs"]
pub mod verdict;

use reprise_domain::domain;

// What the tests need of a machine.
#[cfg(test)]
#[path = "../../tests/need/mod.rs"]
mod need;
