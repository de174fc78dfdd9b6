//! The host's folders that a container sees, as mounts.

use std::io;
use std::path::{Path, PathBuf};

use crate::sandbox::aliases::{FolderAlias, aliases};
use crate::sandbox::beneath::NoBeneath;
use crate::sandbox::contract::{Execution, INSIDE};
use crate::sandbox::inside::{FolderError, real_folder};

/// The workspace and its writable folders on the host, free of links.
#[derive(Debug, Clone)]
pub struct ContainerMounts {
    pub workspace: PathBuf,
    pub writable: Vec<WritableMount>,
    pub aliases: Vec<FolderAlias>,
    /// The overlay in whose place one of the writable folders stands, where something lies beneath it.
    pub overlay: Option<OverlayMount>,
    /// Where the command starts, as it sees it.
    pub directory: PathBuf,
}

/// A host's folder and its place in the container.
#[derive(Debug, Clone)]
pub struct WritableMount {
    pub host: PathBuf,
    pub inside: PathBuf,
}

/// A writable folder of the host that is the upper one of an overlay.
#[derive(Debug, Clone)]
pub struct OverlayMount {
    pub host: PathBuf,
    /// The options of the kernel's mount.
    pub options: String,
}

/// The error of a workspace that a container cannot see.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    #[error("the workspace {} cannot be opened: {error}", workspace.display())]
    Workspace { workspace: PathBuf, error: io::Error },
    #[error(
        "the path of the workspace {} is not UTF-8, which a container cannot be given; keep the runs elsewhere",
        .0.display()
    )]
    NotUtf8(PathBuf),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Beneath(#[from] NoBeneath),
}

impl ContainerMounts {
    /// Looks the folders up. One that is missing or reached through a symbolic
    /// link is refused: the daemon would follow the link anywhere.
    ///
    /// # Errors
    /// The first folder that cannot be shown.
    pub fn find(execution: &Execution) -> Result<Self, MountError> {
        let workspace = execution
            .workspace
            .canonicalize()
            .map_err(|error| MountError::Workspace {
                workspace: execution.workspace.clone(),
                error,
            })?;
        if workspace.to_str().is_none() {
            return Err(MountError::NotUtf8(workspace));
        }
        let inside = Path::new(INSIDE);
        let writable = execution
            .writable
            .iter()
            .map(|folder| {
                Ok(WritableMount {
                    host: real_folder(&workspace, folder)?,
                    inside: folder.below(inside),
                })
            })
            .collect::<Result<_, FolderError>>()?;
        for folder in execution.watched.iter().chain([&execution.directory]) {
            real_folder(&workspace, folder)?;
        }
        let overlay = match &execution.beneath {
            Some(beneath) => {
                let host = real_folder(&workspace, &beneath.folder)?;
                let options = beneath.options(&host)?;
                Some(OverlayMount { host, options })
            }
            None => None,
        };
        Ok(Self {
            writable,
            aliases: aliases(&workspace, &execution.writable),
            overlay,
            directory: execution.directory.below(inside),
            workspace,
        })
    }

    /// The writable folders on the host.
    pub fn lent(&self) -> Vec<PathBuf> {
        self.writable.iter().map(|folder| folder.host.clone()).collect()
    }
}
