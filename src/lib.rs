//! `reprise` carries a published claim through the stages of a replication and
//! scores every checkpoint.
//!
//! A run is a fold over its journal: every effect is an event, state is a pure
//! fold, and what to do next is a pure function of state. See `ARCHITECTURE.md`.

pub mod app;
pub mod cli;

pub use reprise_agent::{agent, network, tools};
pub use reprise_core::{
    addresses, artifacts, capsule, catalog, environment, journal, notebook, policy, run, settings,
    statistics, study, verdict,
};
pub use reprise_documents::documents;
pub use reprise_domain::domain;
pub use reprise_engine::{effects, engine};
pub use reprise_grading::grading;
pub use reprise_model::model;
pub use reprise_report::report;
pub use reprise_sandbox::sandbox;
pub use reprise_scoring::{analysis, scoring};
