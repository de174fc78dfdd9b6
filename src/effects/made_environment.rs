//! The environment that a session stands in.

use crate::domain::digest::Digest;
use crate::domain::execution;

/// The environment of a sandbox, made for a session or found ready.
#[derive(Debug, Clone)]
pub struct MadeEnvironment {
    /// Digest of what it was resolved to.
    pub digest: Digest,
    pub tier: execution::Tier,
    pub environment: execution::Environment,
    /// How it differs from what was asked for, a sentence each.
    pub notes: Vec<String>,
}
