//! A container that is run to see whether containers do what they should.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use nix::unistd::geteuid;
use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::{Environment, Limits};
use crate::domain::ids::RunId;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::contract::{Execution, Sandbox as _};
use crate::sandbox::docker::daemon::{Daemon, words};
use crate::sandbox::docker::sandbox::DockerSandbox;

/// Writes where a command may, and tries where it may not.
const COMMAND: &str =
    "echo written > file && ! echo x > ../outside 2>/dev/null && ! echo x > /outside 2>/dev/null";

/// Runs a command in a container of `image` and looks at what came back.
///
/// # Errors
/// In words for the operator: what does not work, and why.
pub async fn container(sandbox: &DockerSandbox, daemon: &Daemon, image: &str) -> Result<String, String> {
    let id = daemon
        .client
        .inspect_image(image)
        .await
        .map_err(|error| words(&error))?
        .id
        .unwrap_or_default();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let work: WorkspacePath = WorkspacePath::WORK.parse().map_err(|error| format!("{error}"))?;
    let prepare = || -> io::Result<()> {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        fs::create_dir(work.below(folder.path()))
    };
    prepare().map_err(|error| error.to_string())?;
    let execution = Execution {
        run: RunId::new(format!("doctor-{}", std::process::id())),
        environment: Environment {
            id: Digest::compute(&id),
            versions: BTreeMap::new(),
            location: id,
            built: false,
        },
        command: ["sh", "-c", COMMAND].map(str::to_owned).to_vec(),
        workspace: folder.path().to_owned(),
        directory: work.clone(),
        writable: vec![work.clone()],
        watched: Vec::new(),
        variables: BTreeMap::new(),
        limits: Limits {
            seconds: 60,
            memory: 256 << 20,
            ..Limits::default()
        },
        hosts: Vec::new(),
        stdout: folder.path().join("stdout"),
        stderr: folder.path().join("stderr"),
    };
    let ended = sandbox
        .execute(&execution, &CancellationToken::new())
        .await
        .map_err(|error| error.to_string())?;
    if !ended.ending.ok() {
        let said = fs::read_to_string(&execution.stderr).unwrap_or_default();
        return Err(format!(
            "a command that writes in its folder ended as {:?} in {image}: {}",
            ended.ending,
            said.trim()
        ));
    }
    let file = work.below(folder.path()).join("file");
    match file.metadata() {
        Ok(found) if found.uid() == geteuid().as_raw() => Ok(format!(
            "a file written in a container of {image} came back as this user's, and nothing else could be written"
        )),
        Ok(found) => Err(format!(
            "a file written in a container of {image} came back as user {}'s",
            found.uid()
        )),
        Err(error) => Err(format!(
            "a file written in a container of {image} is not on this machine ({error}): the daemon must see \
             the folder {}",
            folder.path().display()
        )),
    }
}
