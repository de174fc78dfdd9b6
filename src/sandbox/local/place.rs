//! What a confined command sees: folders, variables, and whether it can reach them.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::policy::Bind;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::contract::INSIDE;

/// Where a workspace lies outside and inside.
#[derive(Debug)]
pub struct Place {
    /// The workspace on the host, free of links.
    pub host: PathBuf,
    /// The workspace as the command sees it.
    pub inside: PathBuf,
    /// The writable folders on the host.
    pub writable: Vec<PathBuf>,
    /// How to show it all, in order.
    pub binds: Vec<Bind>,
}

impl Place {
    /// Looks the folders up. A writable folder that is missing or reached
    /// through a symbolic link is refused: the link could lead anywhere.
    pub fn find(workspace: &Path, writable: &[WorkspacePath], namespaces: bool) -> Result<Self, String> {
        let host = workspace
            .canonicalize()
            .map_err(|error| format!("the workspace {} cannot be opened: {error}", workspace.display()))?;
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
            });
            place.writable.push(from);
        }
        Ok(place)
    }
}

/// A folder below `root` that no symbolic link is on the way to.
pub fn real_folder(root: &Path, folder: &WorkspacePath) -> Result<PathBuf, String> {
    let mut path = root.to_owned();
    for part in folder.as_str().split('/').filter(|part| !part.is_empty()) {
        path.push(part);
        let found = path
            .symlink_metadata()
            .map_err(|error| format!("the folder `{folder}` of the workspace cannot be opened: {error}"))?;
        if !found.is_dir() {
            return Err(format!(
                "the folder `{folder}` of the workspace is reached through a link or a file; make it a folder"
            ));
        }
    }
    Ok(path)
}

/// The whole environment of a command.
pub fn variables(
    environment: Option<&Path>,
    temporary: &Path,
    extra: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut path = "/usr/local/bin:/usr/bin:/bin".to_owned();
    let temporary = temporary.display().to_string();
    let mut variables: BTreeMap<String, String> = [
        ("LANG", "C.UTF-8"),
        ("TZ", "UTC"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONHASHSEED", "0"),
        ("MPLBACKEND", "Agg"),
        // The order in which threads add up changes the last digits of results.
        ("OMP_NUM_THREADS", "1"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("MKL_NUM_THREADS", "1"),
        ("HOME", &temporary),
        ("TMPDIR", &temporary),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    if let Some(folder) = environment {
        path = format!("{}:{path}", folder.join("bin").display());
        variables.insert("VIRTUAL_ENV".to_owned(), folder.display().to_string());
    }
    variables.insert("PATH".to_owned(), path);
    variables.extend(extra.iter().map(|(name, value)| (name.clone(), value.clone())));
    variables
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
        let find = |name: &str| Place::find(folder.path(), &[name.parse().unwrap()], true);
        let good = find("work").unwrap();
        assert_eq!(good.binds[1].to, Path::new("/workspace/work"));
        assert!(good.binds[1].writable && !good.binds[0].writable);
        for bad in ["evil", "work/up", "work/up/etc", "missing"] {
            assert!(find(bad).unwrap_err().contains(bad), "{bad}");
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
