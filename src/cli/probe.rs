//! A container that is run to see whether containers do what they should.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use nix::unistd::geteuid;
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::{Ending, Environment, Limits};
use crate::domain::ids::RunId;
use crate::domain::workspace_path::{OutsideWorkspace, WorkspacePath};
use crate::sandbox::contract::{Execution, Sandbox as _, SandboxError};
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::sandbox::DockerSandbox;

/// Writes where a command may, and tries where it may not.
const COMMAND: &str =
    "echo written > file && ! echo x > ../outside 2>/dev/null && ! echo x > /outside 2>/dev/null";

/// Something that containers do not do as they should, in words for the operator.
#[derive(Debug, thiserror::Error)]
pub enum ContainerFault {
    #[error("{}", words(.0))]
    Daemon(#[from] bollard::errors::Error),
    #[error(transparent)]
    Files(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] OutsideWorkspace),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("a command that writes in its folder ended as {ending:?} in {image}: {said}")]
    Ended {
        image: String,
        ending: Ending,
        said: String,
    },
    #[error("a file written in a container of {image} came back as user {user}'s")]
    OtherUser { image: String, user: u32 },
    #[error(
        "a file written in a container of {image} is not on this machine ({error}): the daemon must see the folder {}",
        folder.display()
    )]
    NotHere {
        image: String,
        error: io::Error,
        folder: PathBuf,
    },
}

/// Runs a command in a container of `image` and looks at what came back.
///
/// # Errors
/// A daemon or a sandbox that fails, or a file that did not come back as it should.
pub async fn container(
    sandbox: &DockerSandbox,
    daemon: &Daemon,
    image: &str,
) -> Result<String, ContainerFault> {
    let id = daemon.client.inspect_image(image).await?.id.unwrap_or_default();
    let folder = tempfile::tempdir()?;
    let work: WorkspacePath = WorkspacePath::WORK.parse()?;
    let prepare = || -> io::Result<()> {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        fs::create_dir(work.below(folder.path()))
    };
    prepare()?;
    let environment = Environment {
        id: Digest::compute(&id),
        versions: BTreeMap::new(),
        location: id,
        built: false,
    };
    let execution = Execution {
        limits: Limits {
            seconds: 60,
            memory: 256 << 20,
            ..Limits::default()
        },
        ..Execution::alone(
            RunId::new(format!("doctor-{}", rand::random::<u32>())),
            environment,
            &["sh", "-c", COMMAND],
            folder.path(),
            work.clone(),
            folder.path(),
        )
    };
    let ended = sandbox.execute(&execution, &CancellationToken::new()).await?;
    if !ended.ending.ok() {
        let said = fs::read_to_string(&execution.stderr).unwrap_or_default();
        return Err(ContainerFault::Ended {
            image: image.to_owned(),
            ending: ended.ending,
            said: said.trim().to_owned(),
        });
    }
    let file = work.below(folder.path()).join("file");
    match file.metadata() {
        Ok(found) if found.uid() == geteuid().as_raw() => Ok(format!(
            "a file written in a container of {image} came back as this user's, and nothing else could be written"
        )),
        Ok(found) => Err(ContainerFault::OtherUser {
            image: image.to_owned(),
            user: found.uid(),
        }),
        Err(error) => Err(ContainerFault::NotHere {
            image: image.to_owned(),
            error,
            folder: folder.path().to_owned(),
        }),
    }
}
