//! Finding the program of a command.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sandbox::local::policy::Policy;

/// The command, ready to start, or `None` when its program is nowhere.
pub fn command(policy: &Policy) -> Option<Command> {
    let (name, arguments) = policy.command.split_first()?;
    let program = find(name, policy)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&policy.variables)
        .current_dir(&policy.directory)
        .stdin(Stdio::null());
    Some(command)
}

fn find(name: &str, policy: &Policy) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(policy.directory.join(name)).filter(|path| runs(path));
    }
    let path = policy.variables.get("PATH")?;
    path.split(':')
        .filter(|folder| !folder.is_empty() && !name.is_empty())
        .map(|folder| Path::new(folder).join(name))
        .find(|path| runs(path))
}

fn runs(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
