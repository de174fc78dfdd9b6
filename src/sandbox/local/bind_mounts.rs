//! Bind mounts of the host's folders for a confined command, and whether it can reach them.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::policy::Bind;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::aliases::aliases;
use crate::sandbox::beneath::{Beneath, NoBeneath};
use crate::sandbox::contract::INSIDE;
use crate::sandbox::inside::{FolderError, real_folder};

/// The bind mounts of a workspace, with its paths on the host and inside.
#[derive(Debug)]
pub struct WorkspaceBinds {
    /// The workspace on the host, free of links.
    pub host: PathBuf,
    /// The workspace as the command sees it.
    pub inside: PathBuf,
    /// The writable folders on the host.
    pub writable: Vec<PathBuf>,
    /// How to show it all, in order.
    pub binds: Vec<Bind>,
}

/// The error of a workspace that a command cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    #[error("the workspace {} cannot be opened: {error}", workspace.display())]
    Workspace { workspace: PathBuf, error: io::Error },
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Beneath(#[from] NoBeneath),
}

impl WorkspaceBinds {
    /// Looks the folders up. A writable folder that is missing or reached
    /// through a symbolic link is refused: the link could lead anywhere.
    ///
    /// # Errors
    /// The first folder that cannot be shown.
    pub fn find(workspace: &Path, writable: &[WorkspacePath], namespaces: bool) -> Result<Self, BindError> {
        let host = workspace.canonicalize().map_err(|error| BindError::Workspace {
            workspace: workspace.to_owned(),
            error,
        })?;
        let inside = if namespaces {
            PathBuf::from(INSIDE)
        } else {
            host.clone()
        };
        let mut place = Self {
            binds: vec![Bind {
                from: host.clone(),
                to: inside.clone(),
                writable: false,
                overlay: None,
            }],
            host,
            inside,
            writable: Vec::new(),
        };
        for folder in writable {
            let from = real_folder(&place.host, folder)?;
            place.binds.push(Bind {
                from: from.clone(),
                to: folder.below(&place.inside),
                writable: true,
                overlay: None,
            });
            place.writable.push(from);
        }
        if namespaces {
            let second = aliases(&place.host, writable).into_iter().map(|alias| Bind {
                from: alias.host,
                to: alias.inside,
                writable: alias.writable,
                overlay: None,
            });
            place.binds.extend(second);
        }
        Ok(place)
    }

    /// Lays a folder beneath one of those that can be written, wherever that is shown.
    ///
    /// # Errors
    /// A tier that mounts nothing, or a folder that cannot be laid beneath another.
    pub fn lay(&mut self, beneath: &Beneath, namespaces: bool) -> Result<(), BindError> {
        if !namespaces {
            return Err(NoBeneath::Landlock.into());
        }
        let upper = real_folder(&self.host, &beneath.folder)?;
        let options = beneath.options(&upper)?;
        for bind in self
            .binds
            .iter_mut()
            .filter(|bind| bind.writable && bind.from == upper)
        {
            bind.overlay = Some(options.clone());
        }
        Ok(())
    }
}

/// Whether any user can pass down to `path`; if not, the closed folder.
///
/// A new root has its own folders on the way; Landlock has the host's.
pub fn closed_above(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .skip(1)
        .find(|folder| {
            folder
                .metadata()
                .is_ok_and(|found| found.permissions().mode() & 0o001 == 0)
        })
        .map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writable_folder_behind_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("evil")).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("work/up")).unwrap();
        let find = |name: &str| WorkspaceBinds::find(folder.path(), &[name.parse().unwrap()], true);
        let good = find("work").unwrap();
        assert_eq!(good.binds[1].to, Path::new("/workspace/work"));
        assert!(good.binds[1].writable && !good.binds[0].writable);
        for bad in ["evil", "work/up", "work/up/etc", "missing"] {
            assert!(find(bad).unwrap_err().to_string().contains(bad), "{bad}");
        }
    }

    #[test]
    fn a_closed_folder_on_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(closed_above(&deep), Some(folder.path().to_owned()));
        assert_eq!(closed_above(Path::new("/usr/bin")), None);
    }
}
