//! Runs held against their references, by code and by judges: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod grading;

use reprise_agent::{agent, tools};
use reprise_core::{artifacts, capsule, catalog, notebook, policy, run, statistics, study, verdict};
use reprise_documents::documents;
use reprise_domain::domain;
use reprise_engine::{effects, engine};
use reprise_model::model;
use reprise_sandbox::sandbox;
use reprise_scoring::{analysis, scoring};
