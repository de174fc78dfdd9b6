//! Making an image from a plan, or finding it ready.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::PathBuf;
use std::time::Duration;

use bollard::body_full;
use bollard::errors::Error;
use bollard::query_parameters::{BuildImageOptionsBuilder, RemoveImageOptionsBuilder};
use futures::StreamExt as _;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::base::broken;
use super::facts::facts;
use super::layers;
use super::log::Log;
use super::operator_settings::arguments;
use super::plan::ImagePlan;
use super::redaction::Redactor;
use super::steps::Steps;
use super::stopped::{cancelled, silent, too_long};
use super::verdict::{BuildVerdict, Layer, is_builders, verdict};
use crate::domain::execution::{BuildFailure, Environment};
use crate::sandbox::contract::Lines;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::failure::{infrastructure, last};
use crate::sandbox::held_files::FILES;

/// The repository of our images; the tag is the digest of the environment.
const REPOSITORY: &str = "reprise/environment";
/// Free bytes below which no build is started.
const NEEDED: u64 = 2 << 30;

/// Makes the image, or finds it ready. Two at once share one build.
///
/// # Errors
/// Packages that cannot be installed, a disk without room, or a daemon that fails.
pub async fn prepare(
    daemon: &Daemon,
    settings: &DockerSettings,
    plan: &ImagePlan,
    cancel: &CancellationToken,
    progress: Lines<'_>,
) -> Result<Environment, BuildFailure> {
    let build = Build {
        daemon,
        settings,
        plan,
        tag: format!("{REPOSITORY}:{}", plan.id.hex()),
        folder: settings.cache.join("builds"),
    };
    if let Some(image) = build.ready().await? {
        return build.environment(image, false).await;
    }
    let _lock = build.lock(cancel).await?;
    if let Some(image) = build.ready().await? {
        return build.environment(image, false).await;
    }
    build.room().await?;
    let image = build.run(cancel, progress).await?;
    build.environment(image, true).await
}

/// The making of one image.
struct Build<'a> {
    daemon: &'a Daemon,
    settings: &'a DockerSettings,
    plan: &'a ImagePlan,
    tag: String,
    folder: PathBuf,
}

impl Build<'_> {
    fn disk(&self, error: std::io::Error) -> BuildFailure {
        infrastructure(
            format!(
                "The folder of build logs {} cannot be used: {error}.",
                self.folder.display()
            ),
            String::new(),
        )
    }

    /// Waits until no other process builds the same image.
    async fn lock(&self, cancel: &CancellationToken) -> Result<File, BuildFailure> {
        fs::create_dir_all(&self.folder).map_err(|error| self.disk(error))?;
        let file = File::create(self.folder.join(format!("{}.lock", self.plan.id.hex())))
            .map_err(|error| self.disk(error))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(self.disk(error)),
                Err(TryLockError::WouldBlock) => {}
            }
            tokio::select! {
                () = cancel.cancelled() => return Err(cancelled(String::new())),
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
        }
    }

    /// The image's identifier, if it is there and ours.
    async fn ready(&self) -> Result<Option<String>, BuildFailure> {
        let found = match self.daemon.client.inspect_image(&self.tag).await {
            Ok(found) => found,
            Err(Error::DockerResponseServerError { status_code: 404, .. }) => return Ok(None),
            Err(error) => return Err(broken(error)),
        };
        let ours = found
            .config
            .and_then(|config| config.labels)
            .and_then(|labels| labels.get(labels::ENVIRONMENT).cloned())
            .is_some_and(|label| label == self.plan.id.to_string());
        Ok(found.id.filter(|_| ours))
    }

    async fn environment(&self, image: String, built: bool) -> Result<Environment, BuildFailure> {
        let facts = facts(self.daemon, self.settings, self.plan, &image).await;
        let mut versions = facts.map_err(broken)?;
        let standing = self.plan.digests.standing();
        versions.extend(standing.map(|told| (FILES.to_owned(), told)));
        // No layer asks a Python that is taken as it is.
        let python2 = self.plan.python2.clone();
        versions.extend(python2.map(|version| ("python".to_owned(), version)));
        Ok(Environment {
            id: self.plan.id,
            versions,
            location: image,
            built,
        })
    }

    /// Checks that the daemon's disk, where it is this machine's, has room.
    async fn room(&self) -> Result<(), BuildFailure> {
        let info = self.daemon.client.info().await.map_err(broken)?;
        let Some(root) = info.docker_root_dir.map(PathBuf::from) else {
            return Ok(());
        };
        // The folder of a daemon on another machine is not there.
        let Ok(free) = fs4::available_space(&root) else {
            return Ok(());
        };
        if free >= NEEDED {
            return Ok(());
        }
        Err(infrastructure(
            format!(
                "The disk of the Docker daemon at {} has {:.1} GB free, and an image needs {:.0}: remove unused images \
                 with `reprise clean` or `docker image prune`.",
                root.display(),
                free as f64 / 1e9,
                NEEDED as f64 / 1e9
            ),
            String::new(),
        ))
    }

    /// Builds; a failure out of the builder's cache, left there by a build that was
    /// ended before it could be removed, is no answer and is tried again.
    async fn run(&self, cancel: &CancellationToken, progress: Lines<'_>) -> Result<String, BuildFailure> {
        match self.attempt(cancel, progress, false).await {
            Err(Failed { stale: true, .. }) => self.attempt(cancel, progress, true).await,
            other => other,
        }
        .map_err(|failed| failed.failure)
    }

    /// Builds once; dropping the stream ends the build on the daemon's side too.
    async fn attempt(
        &self,
        cancel: &CancellationToken,
        progress: Lines<'_>,
        afresh: bool,
    ) -> Result<String, Failed> {
        // The tag must never stay on an image that is not what it says.
        self.untag().await?;
        let operator = &self.settings.operator;
        let arguments = arguments(operator)?;
        let archive = layers::archive(self.plan).map_err(|error| self.disk(error))?;
        let path = self.folder.join(format!("{}.log", self.plan.id.hex()));
        let mut log = Log::create(&path, Redactor::new(operator)).map_err(|error| self.disk(error))?;
        let labels = HashMap::from([
            (labels::OWNER.to_owned(), labels::SHARED.to_owned()),
            (labels::ENVIRONMENT.to_owned(), self.plan.id.to_string()),
        ]);
        let options = BuildImageOptionsBuilder::default()
            .t(&self.tag)
            .rm(true)
            .forcerm(true)
            .nocache(afresh)
            .labels(&labels)
            .buildargs(&arguments)
            .build();
        let end = Instant::now() + self.settings.build;
        let mut steps = Steps::default();
        let mut stream = std::pin::pin!(self.daemon.client.build_image(
            options,
            None,
            Some(body_full(archive.into()))
        ));
        let error = loop {
            let silence = self.settings.build_silence;
            let part = tokio::select! {
                () = cancel.cancelled() => return Err(cancelled(last(&log.finish())).into()),
                part = timeout_at(end, timeout(silence, stream.next())) => part,
            };
            match part {
                Err(_) => return Err(too_long(self.settings.build, last(&log.finish())).into()),
                Ok(Err(_)) => return Err(silent(silence, last(&log.finish())).into()),
                Ok(Ok(None)) => break None,
                Ok(Ok(Some(Err(error)))) => break Some(error),
                Ok(Ok(Some(Ok(part)))) => {
                    for line in log.push(&part.stream.unwrap_or_default()) {
                        steps.take(&line);
                        if !is_builders(&line) && !line.starts_with("@reprise ") && !line.is_empty() {
                            progress(&line);
                        }
                    }
                }
            }
        };
        let lines = log.finish();
        match error {
            None => self.ready().await?.ok_or_else(|| {
                infrastructure(
                    "The Docker daemon built an image and does not have it.",
                    last(&lines),
                )
                .into()
            }),
            Some(Error::DockerStreamError { error }) => {
                let named = ["REPRISE_CRAN", "REPRISE_CRAN_SNAPSHOT"]
                    .iter()
                    .any(|name| operator.get(*name).is_some_and(|value| !value.is_empty()));
                let error = Redactor::new(operator).line(&error);
                let BuildVerdict { failure, layer } = verdict(&lines, &error, self.plan, named);
                let mut stale = false;
                if let Some(layer) = layer {
                    stale = steps.cached(layer);
                    self.forget(&steps, layer).await;
                }
                Err(Failed { failure, stale })
            }
            Some(error) => {
                let failure = broken(error);
                let summary = Redactor::new(operator).line(&failure.summary);
                Err(infrastructure(summary, last(&lines)).into())
            }
        }
    }

    async fn untag(&self) -> Result<(), BuildFailure> {
        let options = RemoveImageOptionsBuilder::default().noprune(true).build();
        match self
            .daemon
            .client
            .remove_image(&self.tag, Some(options), None)
            .await
        {
            Ok(_) | Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(()),
            Err(error) => Err(broken(error)),
        }
    }

    /// Removes the layers from the first failed one on: a failure may pass, and
    /// the builder's cache would keep it.
    async fn forget(&self, steps: &Steps, layer: Layer) {
        for id in steps.from(layer).iter().rev() {
            let Ok(found) = self.daemon.client.inspect_image(id).await else {
                continue;
            };
            // The identifiers were read from a log that packages write to as well.
            let ours = found
                .config
                .and_then(|config| config.labels)
                .is_some_and(|labels| labels.contains_key(labels::OWNER));
            if !ours || found.repo_tags.is_some_and(|tags| !tags.is_empty()) {
                continue;
            }
            let options = RemoveImageOptionsBuilder::default().noprune(true).build();
            let _ = self.daemon.client.remove_image(id, Some(options), None).await;
        }
    }
}

/// A build that failed.
struct Failed {
    failure: BuildFailure,
    /// Whether the layer that failed was not made by this build.
    stale: bool,
}

impl From<BuildFailure> for Failed {
    fn from(failure: BuildFailure) -> Self {
        Self {
            failure,
            stale: false,
        }
    }
}
