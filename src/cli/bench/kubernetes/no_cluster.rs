//! The calls of a cluster's API, of a program that was built without them.

use serde_json::Value;

use super::place::KubernetesPlace;
use crate::cli::bench::slurm::queue::QueuedJob;

/// The fault of every call.
#[derive(Debug, thiserror::Error)]
#[error("this program was built without Kubernetes: build it with `--features kubernetes`")]
pub struct ClusterError;

/// A cluster, which cannot be opened.
pub enum Cluster {}

impl Cluster {
    /// # Errors
    /// Always.
    #[expect(clippy::unused_async, reason = "as with the feature")]
    pub async fn open(_: &KubernetesPlace) -> Result<Self, ClusterError> {
        Err(ClusterError)
    }

    /// # Errors
    /// Never, since there is no cluster to call.
    #[expect(clippy::unused_async, reason = "as with the feature")]
    pub async fn create(&self, _: &Value) -> Result<(), ClusterError> {
        match *self {}
    }

    /// # Errors
    /// Never, since there is no cluster to call.
    #[expect(clippy::unused_async, reason = "as with the feature")]
    pub async fn delete(&self, _: &str) -> Result<(), ClusterError> {
        match *self {}
    }

    /// # Errors
    /// Never, since there is no cluster to call.
    #[expect(clippy::unused_async, reason = "as with the feature")]
    pub async fn queue(&self, _: &str) -> Result<Vec<QueuedJob>, ClusterError> {
        match *self {}
    }
}
