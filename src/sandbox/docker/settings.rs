//! Settings of the Docker sandbox.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;

/// The settings of the Docker sandbox.
#[derive(Clone)]
pub struct DockerSettings {
    /// The folder for build logs and what was learned about base images.
    pub cache: PathBuf,
    /// The operator's environment: `DOCKER_HOST`, and what tells builds about images,
    /// indexes, mirrors, certificates and proxies. None of it reaches a run's
    /// container, and only `REPRISE_IMAGES` is ever shown.
    ///
    /// - `REPRISE_IMAGES`: base images that an agent may start from besides the
    ///   built-in families, as patterns separated by commas
    /// - `PIP_INDEX_URL`, `PIP_EXTRA_INDEX_URL`, `PIP_TRUSTED_HOST`: as pip reads them
    /// - `REPRISE_CRAN_SNAPSHOT`: a CRAN of a day, such as a Posit Package Manager
    ///   address that ends in a date; asked before `REPRISE_CRAN`
    /// - `REPRISE_CRAN`: a CRAN mirror, with its archive
    /// - `REPRISE_DEBIAN_MIRROR`: a mirror in place of the base image's own
    /// - `REPRISE_CA_BUNDLE`: a file of certificate authorities to be trusted too
    /// - `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in either case
    pub operator: BTreeMap<String, String>,
    /// Images besides the built-in families that an agent may start from.
    pub images: Vec<String>,
    /// The instant behind which Python's index lists nothing to what runs in containers, for a run of a day.
    pub index_until: Option<Timestamp>,
    /// A binary that calls [`super::guard::entry::main`] when its first argument is
    /// [`super::guard::entry::ARGUMENT`]; the engine's own, as a rule. Without one, a
    /// container of an engine that is killed runs on to the limits of its image.
    pub guard: Option<PathBuf>,
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
            index_until: None,
            guard: None,
            build: Duration::from_secs(3600),
            build_silence: Duration::from_secs(600),
        }
    }
}
