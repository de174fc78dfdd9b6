//! The calls of a cluster's API: create and delete a job, list jobs and pods.

use std::time::Duration;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::config::KubeConfigOptions;
use kube::{Api, Client, Config};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::index_states::index_states;
use super::job::LABEL;
use super::place::KubernetesPlace;
use crate::cli::bench::slurm::queue::QueuedJob;

/// The longest that a call may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A call that did not do what it was made for.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("no cluster is configured ({0}): set KUBECONFIG, or name a context with --context")]
    Unconfigured(String),
    #[error("Kubernetes refused to {what}: {said}")]
    Refused { what: &'static str, said: String },
    #[error("Kubernetes did not {what} within {} s", LIMIT.as_secs())]
    TooSlow { what: &'static str },
}

/// A cluster, and a namespace in it.
pub struct Cluster {
    client: Client,
    namespace: Option<String>,
}

impl Cluster {
    /// Opens the cluster of a place.
    ///
    /// # Errors
    /// A configuration that is missing or cannot be used.
    pub async fn open(place: &KubernetesPlace) -> Result<Self, ClusterError> {
        let unconfigured = |error: &dyn std::fmt::Display| ClusterError::Unconfigured(error.to_string());
        let config = match &place.context {
            Some(context) => {
                let options = KubeConfigOptions {
                    context: Some(context.clone()),
                    ..KubeConfigOptions::default()
                };
                let config = Config::from_kubeconfig(&options).await;
                config.map_err(|error| unconfigured(&error))?
            }
            None => Config::infer().await.map_err(|error| unconfigured(&error))?,
        };
        Ok(Self {
            client: Client::try_from(config).map_err(|error| unconfigured(&error))?,
            namespace: place.namespace.clone(),
        })
    }

    fn jobs(&self) -> Api<Job> {
        match &self.namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::default_namespaced(self.client.clone()),
        }
    }

    fn pods(&self) -> Api<Pod> {
        match &self.namespace {
            Some(namespace) => Api::namespaced(self.client.clone(), namespace),
            None => Api::default_namespaced(self.client.clone()),
        }
    }

    /// Creates a job. One of its name that is there already is taken for it: names are given once.
    ///
    /// # Errors
    /// A manifest that the cluster refuses, or a cluster that does not answer.
    pub async fn create(&self, manifest: &Value) -> Result<(), ClusterError> {
        let what = "create the job";
        let job: Job = serde_json::from_value(manifest.clone()).map_err(|error| ClusterError::Refused {
            what,
            said: error.to_string(),
        })?;
        match within(what, self.jobs().create(&PostParams::default(), &job)).await? {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(()),
            Err(error) => Err(refused(what, &error)),
        }
    }

    /// Deletes a job with its pods, which are stopped in order; one that is gone is no fault.
    ///
    /// # Errors
    /// A cluster that refuses or does not answer.
    pub async fn delete(&self, name: &str) -> Result<(), ClusterError> {
        let what = "delete the job";
        match within(what, self.jobs().delete(name, &DeleteParams::background())).await? {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(refused(what, &error)),
        }
    }

    /// The indices of the jobs with a label, in the words of a queue.
    ///
    /// # Errors
    /// A cluster that refuses or does not answer.
    pub async fn queue(&self, label: &str) -> Result<Vec<QueuedJob>, ClusterError> {
        let what = "list jobs and pods";
        let of_bench = ListParams::default().labels(&format!("{LABEL}={label}"));
        let jobs = within(what, self.jobs().list(&of_bench)).await?;
        let pods = within(what, self.pods().list(&of_bench)).await?;
        let jobs = jobs.map_err(|error| refused(what, &error))?;
        let pods = pods.map_err(|error| refused(what, &error))?;
        let jobs = values(what, &jobs.items)?;
        let pods = values(what, &pods.items)?;
        Ok(index_states(&jobs, &pods))
    }
}

fn values<T: Serialize>(what: &'static str, items: &[T]) -> Result<Vec<Value>, ClusterError> {
    let values = items.iter().map(serde_json::to_value).collect::<Result<_, _>>();
    values.map_err(|error| ClusterError::Refused {
        what,
        said: error.to_string(),
    })
}

async fn within<T>(what: &'static str, call: impl Future<Output = T>) -> Result<T, ClusterError> {
    let ended = timeout(LIMIT, call).await;
    ended.map_err(|_| ClusterError::TooSlow { what })
}

fn refused(what: &'static str, error: &kube::Error) -> ClusterError {
    let said = match error {
        kube::Error::Api(status) => format!("{} ({})", status.message, status.code),
        other => other.to_string(),
    };
    ClusterError::Refused { what, said }
}
