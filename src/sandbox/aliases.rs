//! Places of the benchmark's own containers, which its published code names: they lead to
//! folders of the workspace wherever a sandbox can choose what a command sees.

use std::path::{Path, PathBuf};

use super::inside::real_folder;
use crate::domain::workspace_path::WorkspacePath;

/// A folder of the workspace at a second place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderAlias {
    /// The folder on the host.
    pub host: PathBuf,
    /// Where a command sees it.
    pub inside: PathBuf,
    pub writable: bool,
}

/// The place of the data, which nothing can write to.
const DATA: (&str, &str) = ("replication_data", "/app/data");
/// The place of what an analysis makes.
const ARTIFACTS: (&str, &str) = ("work", "/app/artifacts");

/// The aliases of a workspace; a folder that is not there, or reached through a link, has none.
pub fn aliases(workspace: &Path, writable: &[WorkspacePath]) -> Vec<FolderAlias> {
    let alias = |(folder, inside): (&str, &str), may_write: bool| {
        let folder: WorkspacePath = folder.parse().ok()?;
        Some(FolderAlias {
            host: real_folder(workspace, &folder).ok()?,
            inside: PathBuf::from(inside),
            writable: may_write && writable.contains(&folder),
        })
    };
    [alias(DATA, false), alias(ARTIFACTS, true)]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_cannot_be_written_through_its_alias() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["replication_data", "work"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let both: Vec<WorkspacePath> = ["replication_data", "work"]
            .map(|name| name.parse().unwrap())
            .into();
        let seen = |writable: &[WorkspacePath]| -> Vec<(String, bool)> {
            let found = aliases(folder.path(), writable).into_iter();
            found
                .map(|one| (one.inside.display().to_string(), one.writable))
                .collect()
        };
        let all = |work| {
            vec![
                ("/app/data".to_owned(), false),
                ("/app/artifacts".to_owned(), work),
            ]
        };
        assert_eq!(seen(&both), all(true));
        assert_eq!(seen(&[]), all(false));
        std::fs::remove_dir(folder.path().join("work")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("work")).unwrap();
        assert_eq!(seen(&both), all(true)[..1]);
    }
}
