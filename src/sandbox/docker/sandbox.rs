//! The Docker back end as a [`Sandbox`].

use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use nix::sys::statfs::{OVERLAYFS_SUPER_MAGIC, statfs};
use tokio_util::sync::CancellationToken;

use super::container::{execute, sweep, taken_up};
use super::daemon::{Daemon, NoDaemon};
use super::egress::dated_index::DatedIndex;
use super::facts::Engine;
use super::guard::container_guard::ContainerGuard;
use super::image::base;
use super::image::{build, plan::ImagePlan};
use super::settings::DockerSettings;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use crate::domain::ids::RunId;
use crate::sandbox::beneath::NoBeneath;
use crate::sandbox::contract::{Ended, Execution, Lines, NoOpenHosts, Sandbox, SandboxError};
use crate::sandbox::in_use::InUse;

/// Runs code in containers of a Docker-compatible daemon.
#[derive(Clone)]
pub struct DockerSandbox {
    daemon: Daemon,
    settings: DockerSettings,
    /// Started with the first execution.
    guard: Arc<OnceLock<Option<ContainerGuard>>>,
    /// Nobody cleans the cache or the images while this sandbox is there.
    _in_use: Arc<InUse>,
}

impl DockerSandbox {
    /// Connects to the daemon.
    ///
    /// # Errors
    /// A daemon that does not answer, or an address that is none.
    pub async fn connect(settings: DockerSettings) -> Result<Self, NoDaemon> {
        let daemon = Daemon::connect(&settings.operator).await?;
        Self::over(daemon, settings)
    }

    /// Runs code on a daemon that has answered.
    ///
    /// # Errors
    /// A cache that cannot be used.
    pub fn over(daemon: Daemon, settings: DockerSettings) -> Result<Self, NoDaemon> {
        let in_use = InUse::share(&settings.cache).map_err(|error| {
            NoDaemon(format!(
                "The cache {} cannot be used: {error}. Name another one by REPRISE_CACHE.",
                settings.cache.display()
            ))
        })?;
        Ok(Self {
            daemon,
            settings,
            guard: Arc::default(),
            _in_use: Arc::new(in_use),
        })
    }
}

#[async_trait]
impl Sandbox for DockerSandbox {
    fn tier(&self) -> Tier {
        Tier::Docker
    }

    fn opens_hosts(&self) -> Result<(), NoOpenHosts> {
        let facts = self.daemon.describe();
        if !nix::unistd::geteuid().is_root() {
            Err(NoOpenHosts::NotRoot)
        } else if facts.rootless || !facts.shares_kernel() {
            Err(NoOpenHosts::OutOfReach)
        } else {
            Ok(())
        }
    }

    async fn shows_beneath(&self, place: &Path) -> Result<(), NoBeneath> {
        let facts = self.daemon.describe();
        if facts.engine != Engine::Docker || facts.rootless || facts.remapped || !facts.shares_kernel() {
            return Err(NoBeneath::Daemon);
        }
        // An overlay takes no other one as its upper folder.
        let kind = statfs(place).map(|found| found.filesystem_type());
        match kind {
            Ok(OVERLAYFS_SUPER_MAGIC) => Err(NoBeneath::Disk(place.to_owned())),
            Ok(_) => Ok(()),
            Err(error) => Err(NoBeneath::Folder {
                path: place.to_owned(),
                error: error.into(),
            }),
        }
    }

    async fn python_of(&self, spec: &EnvironmentSpec) -> Result<Option<String>, BuildFailure> {
        if spec.python.is_none() {
            return Ok(None);
        }
        let never = CancellationToken::new();
        ImagePlan::python_of(&self.daemon, &self.settings, spec, &never).await
    }

    async fn python_releases(&self, spec: &EnvironmentSpec) -> Result<Vec<String>, BuildFailure> {
        // An image that is named, and one of R, has the Python that it has.
        if spec.python.is_none() || spec.r.is_some() || spec.base_image.is_some() {
            return Ok(Vec::new());
        }
        base::python_releases(&self.daemon).await
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        let never = CancellationToken::new();
        let plan = ImagePlan::resolve(&self.daemon, &self.settings, spec, &never, &|_| {}).await?;
        Ok(plan.id)
    }

    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        let plan = ImagePlan::resolve(&self.daemon, &self.settings, spec, cancel, progress).await?;
        build::prepare(&self.daemon, &self.settings, &plan, cancel, progress).await
    }

    async fn execute(
        &self,
        execution: &Execution,
        cancel: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let guard = Arc::clone(&self.guard);
        guard.get_or_init(|| {
            let program = self.settings.guard.as_deref()?;
            ContainerGuard::start(program, &self.settings.operator).ok()
        });
        let index = DatedIndex::open(&self.settings, &execution.hosts)?;
        execute::execute(&self.daemon, guard, index, execution, cancel).await
    }

    async fn has_lasting(&self, run: &RunId) -> Result<bool, SandboxError> {
        Ok(taken_up::find(&self.daemon, run).await?.is_some())
    }

    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError> {
        sweep::sweep(&self.daemon, run).await
    }
}
