//! Comparisons with references, and statistics of papers: a crate of its own, so that an edit above does not build it again.

#[path = "../analysis/mod.rs"]
pub mod analysis;
#[path = "mod.rs"]
pub mod scoring;

// What the tests need of a machine.
#[cfg(test)]
#[path = "../../tests/need/mod.rs"]
mod need;

use reprise_core::{
    addresses, capsule, catalog, environment, notebook, policy, run, statistics, study, verdict,
};
use reprise_documents::documents;
use reprise_domain::domain;
