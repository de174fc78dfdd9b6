//! Containers that runs have left in the daemon, and whether those runs are over.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::engine::folder::RunFolder;
use crate::journal::lock::RunLock;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::container::owned::{Owned, owned};
use crate::sandbox::docker::container::sweep::sweep;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels::SHARED;

/// The state of a container's run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContainerState {
    Over,
    GoingOn,
    /// Nothing here tells; why.
    Unknown(String),
}

/// Our containers, each with the life of its run.
///
/// # Errors
/// A daemon that does not answer.
pub async fn containers(daemon: &Daemon) -> Result<Vec<(Owned, ContainerState)>, SandboxError> {
    // The folders of a daemon behind a network may be those of another machine.
    let near = daemon.describe().address.starts_with("unix://");
    let found = owned(daemon).await?;
    Ok(found
        .into_iter()
        .map(|container| {
            let life = if container.run.as_str() == SHARED {
                shared(&container.state)
            } else {
                life(container.workspace.as_deref(), near)
            };
            (container, life)
        })
        .collect())
}

/// Removes the containers of runs below a folder that are over, such as a killed server leaves.
///
/// # Errors
/// A daemon that does not answer, or a container that stays.
pub async fn remove_below(daemon: &Daemon, folder: &Path) -> Result<(), SandboxError> {
    // Labels hold no links.
    let Ok(folder) = fs::canonicalize(folder) else {
        return Ok(());
    };
    for (container, state) in containers(daemon).await? {
        let is_below = (container.workspace.as_ref()).is_some_and(|workspace| workspace.starts_with(&folder));
        if is_below && state == ContainerState::Over {
            sweep(daemon, &container.run).await?;
        }
    }
    Ok(())
}

/// A container of a build, or of a look at a base image: one that no longer
/// runs was left by a crash, and its settings may hold the operator's.
fn shared(state: &str) -> ContainerState {
    if matches!(state, "created" | "exited" | "dead") {
        ContainerState::Over
    } else {
        ContainerState::Unknown("a build or a person made it from an image of ours, not a run".to_owned())
    }
}

fn life(workspace: Option<&Path>, near: bool) -> ContainerState {
    let Some(run) = workspace.and_then(Path::parent) else {
        return ContainerState::Unknown("it does not say which folder it works on".to_owned());
    };
    let Ok(folder) = RunFolder::at(run) else {
        return ContainerState::Unknown(format!("its folder {} cannot be looked up", run.display()));
    };
    match RunLock::is_held(&folder.lock()) {
        Ok(true) => ContainerState::GoingOn,
        Ok(false) => ContainerState::Over,
        Err(error) if error.kind() == ErrorKind::NotFound && !near => ContainerState::Unknown(format!(
            "there is no {} on this machine, and the daemon may serve others",
            run.display()
        )),
        Err(error) if error.kind() == ErrorKind::NotFound && !run.exists() => ContainerState::Over,
        Err(error) => ContainerState::Unknown(format!("{}: {error}", folder.lock().display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_over_when_its_lock_is_free_or_its_folder_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let run = place.path().join("run");
        let workspace = run.join("workspace");
        assert_eq!(life(Some(&workspace), true), ContainerState::Over);
        assert!(matches!(
            life(Some(&workspace), false),
            ContainerState::Unknown(_)
        ));
        std::fs::create_dir_all(&workspace).unwrap();
        assert!(matches!(life(Some(&workspace), true), ContainerState::Unknown(_)));
        let held = RunLock::take(&run.join("lock")).unwrap();
        assert_eq!(life(Some(&workspace), true), ContainerState::GoingOn);
        assert_eq!(life(Some(&workspace), false), ContainerState::GoingOn);
        drop(held);
        // A process that another test starts holds a copy of the lock until it is executed.
        let begun = std::time::Instant::now();
        while life(Some(&workspace), true) != ContainerState::Over {
            assert!(begun.elapsed().as_secs() < 600, "the lock is not let go");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(matches!(life(None, true), ContainerState::Unknown(_)));
    }

    #[test]
    fn a_build_that_runs_is_let_alone_and_one_that_crashed_is_not() {
        assert!(matches!(shared("running"), ContainerState::Unknown(_)));
        assert_eq!(shared("exited"), ContainerState::Over);
    }
}
