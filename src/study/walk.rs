//! Every file below a study's folder, in a fixed order, with nothing outside it.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::StudyError;
use super::layout::is_private;
use crate::domain::workspace_path::WorkspacePath;

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkLimits {
    pub files: usize,
    pub bytes: u64,
    pub depth: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self {
            files: 20_000,
            bytes: 8 << 30,
            depth: 32,
        }
    }
}

/// One file.
#[derive(Debug)]
pub struct FoundFile {
    /// Relative to the folder that was walked.
    pub path: WorkspacePath,
    /// The file itself, links resolved.
    pub real: PathBuf,
    pub size: u64,
}

/// The files of a walk, and the names of what was passed over.
#[derive(Debug, Default)]
pub struct Walked {
    pub files: Vec<FoundFile>,
    pub hidden: Vec<WorkspacePath>,
    pub references: Vec<WorkspacePath>,
}

/// Resolves a path that has to stay in the study and out of its references.
/// `root` is canonical.
///
/// # Errors
/// A link that leads out of the study or to its references.
pub fn resolve(root: &Path, path: &Path) -> Result<PathBuf, StudyError> {
    let bad = || StudyError::BadLink(path.to_owned());
    let real = fs::canonicalize(path).map_err(|_| bad())?;
    let relative = real.strip_prefix(root).map_err(|_| bad())?;
    if real != path && is_private(relative) {
        return Err(bad());
    }
    Ok(real)
}

/// Walks `folder` of the study at `root`; both are canonical.
///
/// # Errors
/// A folder that cannot be read, a name that is none, too much of anything, or a link that leads out.
pub fn walk(root: &Path, folder: &Path, caps: WalkLimits) -> Result<Walked, StudyError> {
    let mut walk = Walk {
        root,
        top: folder,
        caps,
        bytes: 0,
        entries: 0,
        found: Walked::default(),
    };
    walk.folder(folder, "", &mut vec![folder.to_owned()])?;
    let mut found = walk.found;
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.hidden.sort();
    found.references.sort();
    Ok(found)
}

struct Walk<'a> {
    root: &'a Path,
    top: &'a Path,
    caps: WalkLimits,
    bytes: u64,
    entries: usize,
    found: Walked,
}

impl Walk<'_> {
    /// `above` holds the real folders that lead here, so that a link to one of them ends the walk.
    fn folder(&mut self, folder: &Path, prefix: &str, above: &mut Vec<PathBuf>) -> Result<(), StudyError> {
        if above.len() > self.caps.depth {
            return Err(StudyError::TooDeep(folder.to_owned()));
        }
        let failed = || StudyError::io("read the folder", folder);
        for entry in fs::read_dir(folder).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            self.entries += 1;
            if self.entries > self.caps.files {
                return Err(StudyError::TooManyFiles {
                    folder: self.top.to_owned(),
                    cap: self.caps.files,
                });
            }
            let name = entry
                .file_name()
                .into_string()
                .ok()
                .filter(|name| !name.chars().any(char::is_control))
                .ok_or_else(|| StudyError::BadName(entry.path()))?;
            self.entry(&entry.path(), &name, prefix, above)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        file: &Path,
        name: &str,
        prefix: &str,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), StudyError> {
        let path: WorkspacePath = format!("{prefix}{name}")
            .parse()
            .map_err(|_| StudyError::BadName(file.to_owned()))?;
        if name.starts_with('.') {
            self.found.hidden.push(path);
            return Ok(());
        }
        let is_link = fs::symlink_metadata(file)
            .map_err(StudyError::io("read", file))?
            .file_type()
            .is_symlink();
        let relative = file.strip_prefix(self.root).unwrap_or(file);
        if !is_link && is_private(relative) {
            self.found.references.push(path);
            return Ok(());
        }
        let real = resolve(self.root, file)?;
        let metadata = fs::metadata(&real).map_err(StudyError::io("read", file))?;
        if metadata.is_dir() {
            if is_link && above.iter().any(|one| one.starts_with(&real)) {
                return Err(StudyError::BadLink(file.to_owned()));
            }
            above.push(real.clone());
            self.folder(&real, &format!("{prefix}{name}/"), above)?;
            above.pop();
            return Ok(());
        }
        if !metadata.is_file() {
            return Err(StudyError::SpecialFile(file.to_owned()));
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        if self.bytes > self.caps.bytes {
            return Err(StudyError::TooMuchData {
                folder: self.top.to_owned(),
                cap: self.caps.bytes,
            });
        }
        self.found.files.push(FoundFile {
            path,
            real,
            size: metadata.len(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_bytes_and_depth_are_capped() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/one"), "12345").unwrap();
        fs::write(root.join("two"), "12345").unwrap();
        let with = |files, bytes, depth| walk(&root, &root, WalkLimits { files, bytes, depth });
        assert_eq!(with(4, 10, 3).unwrap().files.len(), 2);
        assert!(matches!(
            with(3, 10, 3),
            Err(StudyError::TooManyFiles { cap: 3, .. })
        ));
        assert!(matches!(
            with(4, 9, 3),
            Err(StudyError::TooMuchData { cap: 9, .. })
        ));
        assert!(matches!(with(4, 10, 2), Err(StudyError::TooDeep(_))));
    }
}
