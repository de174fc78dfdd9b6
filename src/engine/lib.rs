//! The loop of a run and its effects: a crate of its own, so that an edit above does not build it again.

#[path = "../effects/mod.rs"]
pub mod effects;
#[path = "mod.rs"]
pub mod engine;

use reprise_agent::{agent, network, tools};
use reprise_core::{
    artifacts, capsule, catalog, environment, journal, notebook, policy, run, statistics, study, verdict,
};
use reprise_documents::documents;
use reprise_domain::domain;
use reprise_model::model;
use reprise_sandbox::sandbox;

// What the tests need of a machine.
#[cfg(test)]
#[path = "../../tests/need/mod.rs"]
mod need;
