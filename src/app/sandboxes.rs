//! The sandbox that a run asks for, or that this machine has.

use std::sync::Arc;

use jiff::Timestamp;

use crate::catalog::stages::load::Catalog;
use crate::domain::execution::Tier;
use crate::effects::track_parts::ChosenParts;
use crate::engine::error::EngineError;
use crate::engine::request::{RunRequest, SandboxChoice};
use crate::sandbox::contract::{Sandbox, SandboxError};
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::sandbox::DockerSandbox;
use crate::sandbox::docker::settings::DockerSettings;
use crate::sandbox::local::sandbox::LocalSandbox;
use crate::sandbox::local::settings::LocalSettings;
use crate::settings::Settings;

/// The back end that `auto` means on this machine at this moment: containers
/// where a daemon answers. A run keeps it, so that resuming never changes it.
pub async fn settled(settings: &Settings, choice: SandboxChoice) -> SandboxChoice {
    match choice {
        SandboxChoice::Auto if Daemon::connect(&settings.operator).await.is_ok() => SandboxChoice::Docker,
        SandboxChoice::Auto => SandboxChoice::Local,
        chosen => chosen,
    }
}

/// The sandbox that was asked for.
///
/// # Errors
/// A daemon that does not answer, or a machine on which nothing confines.
pub async fn sandbox(settings: &Settings, choice: SandboxChoice) -> Result<Arc<dyn Sandbox>, EngineError> {
    sandbox_with(settings, choice, Vec::new(), None).await
}

/// The sandbox that was asked for, with images that may be started from besides those of the settings, and the
/// instant of the run's day.
async fn sandbox_with(
    settings: &Settings,
    choice: SandboxChoice,
    images: Vec<String>,
    index_until: Option<Timestamp>,
) -> Result<Arc<dyn Sandbox>, EngineError> {
    match settled(settings, choice).await {
        SandboxChoice::Docker => {
            let mut docker = DockerSettings::new(settings.cache.clone(), settings.operator.clone());
            docker.images.extend(settings.images().into_values());
            docker.images.extend(images);
            docker.index_until = index_until;
            docker.guard = std::env::current_exe().ok();
            let connected = DockerSandbox::connect(docker).await;
            Ok(Arc::new(connected.map_err(|error| {
                SandboxError::Unavailable(format!("{error} Start the daemon, or choose `--sandbox local`."))
            })?))
        }
        SandboxChoice::Landlock => Ok(Arc::new(local_sandbox(settings, Some(Tier::Landlock))?)),
        SandboxChoice::Auto | SandboxChoice::Local => Ok(Arc::new(local_sandbox(settings, None)?)),
    }
}

/// The sandbox of a run with stages that have commands executed, act in a session or are a program's, which
/// must be able to do what the run asks of it; `None` where no stage does.
///
/// # Errors
/// A sandbox that cannot be had, or one that cannot open the hosts that were asked for.
pub async fn sandbox_for(
    settings: &Settings,
    request: &RunRequest,
    catalog: &Catalog,
    parts: &ChosenParts,
) -> Result<Option<Arc<dyn Sandbox>>, EngineError> {
    let acts = parts.environment.as_ref().is_some_and(|one| one.needs_sandbox());
    if !acts && request.agent.is_none() && !catalog.executes(request.stages) {
        return Ok(None);
    }
    let capsule = request.capsule.iter();
    let images = capsule.flat_map(|capsule| capsule.base_images.values().cloned());
    let day = request.as_of().map(|as_of| as_of.instant);
    let sandbox = sandbox_with(settings, request.sandbox, images.collect(), day).await?;
    if !request.hosts.is_empty() {
        sandbox.opens_hosts().map_err(|why| {
            EngineError::Unusable(format!(
                "--allow-host {}: {why}. Leave it out, or choose a sandbox that can.",
                request.hosts.join(" --allow-host ")
            ))
        })?;
    }
    Ok(Some(sandbox))
}

/// A sandbox of this machine's own: of one tier, or the best that works.
///
/// # Errors
/// A machine on which nothing of the tier confines, or a program that cannot find itself.
pub fn local_sandbox(settings: &Settings, tier: Option<Tier>) -> Result<LocalSandbox, EngineError> {
    let helper = std::env::current_exe()
        .map_err(|error| EngineError::Unusable(format!("this program cannot find itself: {error}")))?;
    let mut local = LocalSettings::new(helper, settings.cache.clone());
    local.python.clone_from(&settings.python);
    local.operator.clone_from(&settings.operator);
    local.tier = tier;
    Ok(LocalSandbox::detect(local)?)
}
