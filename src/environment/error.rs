//! Errors of reading what an analysis needs.

use std::path::PathBuf;

/// A folder whose needs cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("{} is no folder: name a study or a folder with scripts", .0.display())]
    NoFolder(PathBuf),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{} holds more than {most} files: name the folder with the scripts alone",
        folder.display()
    )]
    TooManyFiles { folder: PathBuf, most: usize },
}
