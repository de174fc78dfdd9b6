//! The views of a run: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod report;

use reprise_agent::network;
use reprise_core::{
    artifacts, capsule, catalog, environment, notebook, policy, run, statistics, study, verdict,
};
use reprise_documents::documents;
use reprise_domain::domain;
use reprise_engine::engine;
use reprise_grading::grading;
use reprise_model::model;
use reprise_scoring::{analysis, scoring};
