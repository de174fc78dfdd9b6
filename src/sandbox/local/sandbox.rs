//! The local back end as a [`Sandbox`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::beneath_trial;
use super::build::{self, EnvironmentPlan, Ready};
use super::cgroup::Cgroup;
use super::entry_imports;
use super::execute::execute;
use super::languages::Languages;
use super::python_releases;
use super::r_versions;
use super::scratch;
use super::settings::LocalSettings;
use super::shared::Shared;
use crate::domain::digest::Digest;
use crate::domain::execution::{BuildFailure, Environment, EnvironmentSpec, Tier};
use crate::domain::ids::RunId;
use crate::sandbox::beneath::NoBeneath;
use crate::sandbox::contract::{Ended, Execution, Lines, NoOpenHosts, Sandbox, SandboxError};
use crate::sandbox::descriptors;
use crate::sandbox::failure::infrastructure;
use crate::sandbox::in_use::InUse;

/// Runs code on this machine, in namespaces or under Landlock.
#[derive(Debug, Clone)]
pub struct LocalSandbox {
    shared: Arc<Shared>,
    languages: Arc<Languages>,
}

impl LocalSandbox {
    /// Tries the tiers on this machine, best first, by running `true` in them.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`] when none works; code never runs unconfined.
    pub fn detect(settings: LocalSettings) -> Result<Self, SandboxError> {
        let tiers = match settings.tier {
            Some(Tier::Docker) => {
                return Err(SandboxError::Unavailable(
                    "The local sandbox cannot run containers: choose the Docker sandbox for that.".to_owned(),
                ));
            }
            Some(tier) => vec![tier],
            None => vec![Tier::Namespaces, Tier::Landlock],
        };
        let folder = |path: &PathBuf| {
            std::fs::create_dir_all(path)
                .and_then(|()| path.canonicalize())
                .map_err(|error| {
                    SandboxError::Unavailable(format!(
                        "The sandbox needs the folder {}, which cannot be made: {error}. Name another one.",
                        path.display()
                    ))
                })
        };
        let (cache, scratch) = (folder(&settings.cache)?, folder(&settings.scratch)?);
        let mut reasons = Vec::new();
        for tier in tiers {
            let shared = Shared {
                helper: settings.helper.clone(),
                cache: cache.clone(),
                scratch: scratch.clone(),
                settings: settings.clone(),
                tier,
                _in_use: InUse::share(&cache).map_err(|error| {
                    SandboxError::Unavailable(format!(
                        "The cache {} cannot be used: {error}. Name another one by REPRISE_CACHE.",
                        cache.display()
                    ))
                })?,
            };
            match shared.probe() {
                Ok(()) => {
                    return Ok(Self {
                        shared: Arc::new(shared),
                        languages: Arc::default(),
                    });
                }
                Err(why) => reasons.push(format!("{tier:?}: {why}")),
            }
        }
        if let Some(cause) = descriptors::exhausted(&reasons.join("; ")) {
            return Err(SandboxError::Unavailable(format!(
                "The sandbox could not be tried ({}): {cause}.",
                reasons.join("; ")
            )));
        }
        Err(SandboxError::Unavailable(format!(
            "Code cannot be confined on this machine ({}). Allow unprivileged user namespaces, use Linux 5.13 \
             or later with Landlock enabled, or choose the Docker sandbox.",
            reasons.join("; ")
        )))
    }
}

impl LocalSandbox {
    /// Whether memory and processes can be limited over a whole tree here.
    pub fn makes_cgroups(&self) -> bool {
        Cgroup::make(&format!("probe-{}", rand::random::<u32>()), 64 << 20, 8).is_some()
    }

    /// What the machine's R prints of the versions that packages had at an instant, by the lists of an archive.
    ///
    /// # Errors
    /// A machine without R, or a way to the archive that cannot be opened.
    pub async fn r_versions(&self, address: &str, arguments: Vec<String>) -> Result<String, BuildFailure> {
        let (shared, address) = (Arc::clone(&self.shared), address.to_owned());
        let cancel = CancellationToken::new();
        let _guard = cancel.clone().drop_guard();
        tokio::task::spawn_blocking(move || r_versions::ask(&shared, &address, &arguments, cancel))
            .await
            .map_err(|error| infrastructure(format!("R could not be asked: {error}."), String::new()))?
    }
}

#[async_trait]
impl Sandbox for LocalSandbox {
    fn tier(&self) -> Tier {
        self.shared.tier
    }

    fn opens_gateway(&self) -> Result<(), NoOpenHosts> {
        match self.shared.namespaces() {
            true => Ok(()),
            false => Err(NoOpenHosts::NoLoopback),
        }
    }

    async fn shows_beneath(&self, place: &Path) -> Result<(), NoBeneath> {
        let (shared, place) = (Arc::clone(&self.shared), place.to_owned());
        tokio::task::spawn_blocking(move || beneath_trial::attempt(&shared, &place))
            .await
            .map_err(|error| NoBeneath::Trial(error.to_string()))?
    }

    async fn python_of(&self, spec: &EnvironmentSpec) -> Result<Option<String>, BuildFailure> {
        if spec.python.is_none() {
            return Ok(None);
        }
        let wanted = spec.python_version.as_deref();
        let found = self.languages.python(&self.shared, wanted)?;
        Ok(Some(found.version))
    }

    async fn python_releases(&self, spec: &EnvironmentSpec) -> Result<Vec<String>, BuildFailure> {
        // One that the operator names is taken as it is.
        if spec.python.is_none() || self.shared.settings.python.is_some() {
            return Ok(Vec::new());
        }
        Ok(python_releases::known(&self.shared))
    }

    async fn resolve(&self, spec: &EnvironmentSpec) -> Result<Digest, BuildFailure> {
        Ok(EnvironmentPlan::resolve(&self.shared, &self.languages, spec)?.id)
    }

    async fn prepare(
        &self,
        spec: &EnvironmentSpec,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<Environment, BuildFailure> {
        let (sender, mut lines) = mpsc::channel(256);
        let cancel = cancel.child_token();
        // A build whose caller is gone ends, too.
        let _guard = cancel.clone().drop_guard();
        let (shared, languages) = (Arc::clone(&self.shared), Arc::clone(&self.languages));
        let spec = spec.clone();
        let work = tokio::task::spawn_blocking(move || {
            let plan = EnvironmentPlan::resolve(&shared, &languages, &spec)?;
            build::prepare(&shared, &languages, &plan, &cancel, &sender)
        });
        while let Some(line) = lines.recv().await {
            progress(&line);
        }
        work.await
            .map_err(|error| infrastructure(format!("The build broke: {error}."), String::new()))?
    }

    async fn warm_up(&self, environment: &Environment, cancel: &CancellationToken) {
        let folder = PathBuf::from(&environment.location);
        let (shared, cancel) = (Arc::clone(&self.shared), cancel.child_token());
        let _guard = cancel.clone().drop_guard();
        let work = move || {
            let uncompiled = Ready::read(&folder)
                .ok()
                .and_then(|ready| ready.uncompiled(&folder));
            uncompiled.map(|environment| environment.compile_and_wait(&shared, &cancel))
        };
        // Without compiled modules an environment is slower and nothing else.
        let _ = tokio::task::spawn_blocking(work).await;
    }

    async fn execute(
        &self,
        execution: &Execution,
        cancel: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let cancel = cancel.child_token();
        // A command whose caller is gone ends, too.
        let _guard = cancel.clone().drop_guard();
        let (shared, execution) = (Arc::clone(&self.shared), execution.clone());
        let work = move || {
            let ended = execute(&shared, &execution, cancel);
            let folder = PathBuf::from(&execution.environment.location);
            if let Some(environment) = Ready::read(&folder)
                .ok()
                .and_then(|ready| ready.uncompiled(&folder))
            {
                let begun_in = execution.directory.below(&execution.workspace);
                environment.compile_later(&shared, entry_imports::of(&execution.command, &begun_in));
            }
            ended
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| SandboxError::Failed(error.to_string()))?
    }

    async fn sweep(&self, run: &RunId) -> Result<(), SandboxError> {
        let (shared, name) = (Arc::clone(&self.shared), scratch::name(run));
        tokio::task::spawn_blocking(move || scratch::sweep(&shared.scratch, &name))
            .await
            .map_err(|error| SandboxError::Failed(error.to_string()))?
            .map_err(|error| {
                SandboxError::Failed(format!("the remains of run {run} cannot be removed: {error}"))
            })
    }
}
