//! The request for an execution.

use crate::domain::digest::Digest;

use super::ado::ShownAdo;
use super::rules::Declared;

/// The request for an execution: the plan, in an environment, with some hosts in reach.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionRequest<'a> {
    pub declared: &'a Declared,
    pub environment: Digest,
    pub hosts: &'a [String],
    /// The ado-files that Stata is shown.
    pub ado: Option<&'a ShownAdo>,
}
