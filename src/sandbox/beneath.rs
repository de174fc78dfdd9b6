//! Folders that lie beneath writable ones, copy-on-write: an overlay of the kernel's, in which a session
//! sees what lies beneath, and writes to its own folder alone.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use super::ownership::{INSTALLER, USERS, is_ours, own_all};
use super::removal;
use crate::domain::workspace_path::WorkspacePath;

/// Characters that the options of a mount give a meaning of their own.
const SPECIAL: [char; 4] = [',', ':', '\\', '"'];

/// A folder of the host beneath a writable folder of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beneath {
    /// The folder of the workspace, which is one of those that can be written; what is changed stands
    /// there.
    pub folder: WorkspacePath,
    /// What lies beneath. Nobody may change it while a sandbox shows it; see [`settle`].
    pub lower: PathBuf,
    /// A folder on the workspace's disk for the kernel's own use; it is made where it is missing.
    pub scratch: PathBuf,
}

/// The reason for which nothing can lie beneath a folder.
#[derive(Debug, thiserror::Error)]
pub enum NoBeneath {
    #[error("Landlock alone mounts nothing")]
    Landlock,
    #[error("the daemon is not Docker's own on this machine, run by root")]
    Daemon,
    #[error("{} has a character that the options of a mount cannot hold ({})", .0.display(), SPECIAL.map(String::from).join(" "))]
    Name(PathBuf),
    #[error("{} cannot be used: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("{} is owned by user {owner}, as whom no session runs", path.display())]
    Owner { path: PathBuf, owner: u32 },
    #[error("the disk of {} is an overlay itself, which takes no second one", .0.display())]
    Disk(PathBuf),
    #[error("a trial mount failed: {0}")]
    Trial(String),
}

impl Beneath {
    /// The options of the overlay over a folder of the host.
    ///
    /// # Errors
    /// A path that options cannot hold, or a folder that cannot be made or looked up.
    pub fn options(&self, upper: &Path) -> Result<String, NoBeneath> {
        fs::create_dir_all(&self.scratch).map_err(|error| at(&self.scratch, error))?;
        let mut named = Vec::new();
        for (name, path) in [
            ("lowerdir", self.lower.as_path()),
            ("upperdir", upper),
            ("workdir", self.scratch.as_path()),
        ] {
            let path = path.canonicalize().map_err(|error| at(path, error))?;
            match path.to_str().filter(|text| !text.contains(SPECIAL)) {
                Some(text) => named.push(format!("{name}={text}")),
                None => return Err(NoBeneath::Name(path)),
            }
        }
        Ok(named.join(","))
    }

    /// The user that owns what lies beneath, as whom a root engine has to run what changes it.
    ///
    /// # Errors
    /// A folder that cannot be looked up, or that another user owns.
    pub fn owner(&self) -> Result<u32, NoBeneath> {
        let found = fs::metadata(&self.lower).map_err(|error| at(&self.lower, error))?;
        match is_ours(found.uid()) {
            true => Ok(found.uid()),
            false => Err(NoBeneath::Owner {
                path: self.lower.clone(),
                owner: found.uid(),
            }),
        }
    }

    /// Removes what the kernel left of its own once nothing shows the overlay any more. What stays is
    /// closed to everybody but root, and holds nothing.
    pub fn clear(&self) {
        // The kernel closes its folder, and leaves the mark in it that it links to for each removed file.
        let _ = removal::remove(&self.scratch);
    }
}

fn at(path: &Path, error: io::Error) -> NoBeneath {
    NoBeneath::Folder {
        path: path.to_owned(),
        error,
    }
}

/// Makes a folder ready to lie beneath others: of a root engine, an unprivileged user owns it from here
/// on, as whom every session over it runs.
pub fn settle(folder: &Path) {
    if geteuid().is_root() {
        let user = USERS.start + rand::random::<u32>() % (INSTALLER - USERS.start);
        own_all(folder, user, user);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_options_cannot_hold_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for name in ["lower", "upper", "with, comma"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let beneath = |lower: &str| Beneath {
            folder: "work".parse().unwrap(),
            lower: root.join(lower),
            scratch: root.join("scratch"),
        };
        let upper = root.join("upper");
        let options = beneath("lower").options(&upper).unwrap();
        let shown = root.display();
        assert_eq!(
            options,
            format!("lowerdir={shown}/lower,upperdir={shown}/upper,workdir={shown}/scratch")
        );
        assert!(matches!(
            beneath("with, comma").options(&upper),
            Err(NoBeneath::Name(_))
        ));
        assert!(matches!(
            beneath("none").options(&upper),
            Err(NoBeneath::Folder { .. })
        ));
        fs::create_dir(root.join("scratch/work")).unwrap();
        fs::write(root.join("scratch/work/#1"), "").unwrap();
        beneath("lower").clear();
        assert!(!root.join("scratch").exists());
    }
}
