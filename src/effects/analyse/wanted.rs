//! What is to run.

use crate::domain::digest::Digest;

use super::rules::Declared;

/// What is to run: the plan, in an environment, with some hosts in reach.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionRequest<'a> {
    pub declared: &'a Declared,
    pub environment: Digest,
    pub hosts: &'a [String],
}
