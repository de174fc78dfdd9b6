//! Tools, the network and the loop of one conversation: a crate of its own, so that an edit above does not build it again.

#[path = "mod.rs"]
pub mod agent;
#[path = "../network/mod.rs"]
pub mod network;
#[path = "../tools/mod.rs"]
pub mod tools;

use reprise_core::{addresses, catalog, environment, notebook, policy, settings, study};
use reprise_documents::documents;
use reprise_domain::domain;
use reprise_model::model;
use reprise_sandbox::sandbox;
