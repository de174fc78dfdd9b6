//! How the operator sets containers up.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How the Docker sandbox is set up.
#[derive(Clone)]
pub struct DockerSettings {
    /// The folder for build logs and what was learned about base images.
    pub cache: PathBuf,
    /// The operator's environment: `DOCKER_HOST`, and what tells builds about
    /// indexes, mirrors, certificates and proxies. None of it reaches a run's container.
    pub operator: BTreeMap<String, String>,
    /// Images besides the built-in families that an agent may start from.
    pub images: Vec<String>,
    /// Longest time for a build, and longest time in which it may be silent.
    pub build: Duration,
    pub build_silence: Duration,
}

impl DockerSettings {
    /// Settings with an hour for a build and ten minutes of silence.
    pub fn new(cache: impl Into<PathBuf>, operator: BTreeMap<String, String>) -> Self {
        Self {
            cache: cache.into(),
            operator,
            images: Vec::new(),
            build: Duration::from_secs(3600),
            build_silence: Duration::from_secs(600),
        }
    }
}
