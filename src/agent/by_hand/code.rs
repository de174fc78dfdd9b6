//! Scripts that a person lays down, as far as the workspace does not hold them yet.

use std::fs;
use std::io;
use std::path::Path;

use crate::domain::workspace_path::WorkspacePath;
use crate::study::error::StudyError;
use crate::study::walk::{WalkLimits, walk};
use crate::tools::write_file::LARGEST;

/// The bounds of a folder of scripts.
const LIMITS: WalkLimits = WalkLimits {
    files: 500,
    bytes: 64 << 20,
    depth: 16,
};

/// A script of a person's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Where it lies in its folder, and below `work/` in the workspace.
    pub path: WorkspacePath,
    pub text: String,
}

impl Script {
    /// Its place in the workspace.
    ///
    /// # Errors
    /// A name that cannot lie below `work/`.
    pub fn place(&self) -> Result<WorkspacePath, ScriptError> {
        let place = format!("{}/{}", WorkspacePath::WORK, self.path).parse();
        place.map_err(|_| ScriptError::Name(self.path.clone()))
    }
}

/// A folder of scripts that cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("it cannot be opened: {0}")]
    Missing(io::Error),
    #[error(transparent)]
    Folder(#[from] StudyError),
    #[error("{0}: {1}")]
    Read(WorkspacePath, io::Error),
    #[error(
        "{0} is no text of at most {max} bytes: scripts are, and data lie in the study",
        max = LARGEST
    )]
    NoText(WorkspacePath),
    #[error("{0} cannot lie below `work/`: give it another name")]
    Name(WorkspacePath),
}

/// The scripts of a folder.
///
/// # Errors
/// A folder that is not there, has links that lead out of it or too much in it, or a file that is no
/// text.
pub fn scripts(folder: &Path) -> Result<Vec<Script>, ScriptError> {
    let folder = folder.canonicalize().map_err(ScriptError::Missing)?;
    let mut scripts = Vec::new();
    for file in walk(&folder, &folder, LIMITS)?.files {
        if file.size > LARGEST as u64 {
            return Err(ScriptError::NoText(file.path));
        }
        let bytes = fs::read(&file.real).map_err(|error| ScriptError::Read(file.path.clone(), error))?;
        let text = String::from_utf8(bytes).map_err(|_| ScriptError::NoText(file.path.clone()))?;
        scripts.push(Script {
            path: file.path,
            text,
        });
    }
    Ok(scripts)
}

/// A file of a person's that the workspace does not hold as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it belongs in the workspace.
    pub place: WorkspacePath,
    pub text: String,
}

/// The scripts of `folder` that the workspace at `workspace` does not hold as they are.
///
/// # Errors
/// Those of [`scripts`], and a name that cannot lie below `work/`.
pub fn changed(folder: &Path, workspace: &Path) -> Result<Vec<ChangedFile>, ScriptError> {
    let mut changed = Vec::new();
    for script in scripts(folder)? {
        let place = script.place()?;
        let there = fs::read(place.below(workspace));
        if !there.is_ok_and(|there| there == script.text.as_bytes()) {
            changed.push(ChangedFile {
                place,
                text: script.text,
            });
        }
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_taken_until_the_workspace_holds_them() {
        let run = tempfile::tempdir().unwrap();
        let (code, workspace) = (run.path().join("code"), run.path().join("workspace"));
        fs::create_dir_all(code.join("deep")).unwrap();
        fs::create_dir_all(workspace.join("work/deep")).unwrap();
        fs::write(code.join("deep/a.py"), "print(1)\n").unwrap();
        let found = changed(&code, &workspace).unwrap();
        assert_eq!(found[0].place.as_str(), "work/deep/a.py");
        fs::write(workspace.join("work/deep/a.py"), "print(1)\n").unwrap();
        assert_eq!(changed(&code, &workspace).unwrap(), []);
        fs::write(code.join("b.bin"), [0xff, 0xfe]).unwrap();
        let error = changed(&code, &workspace).unwrap_err().to_string();
        assert!(error.starts_with("b.bin is no text"), "{error}");
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let run = tempfile::tempdir().unwrap();
        let code = run.path().join("code");
        fs::create_dir_all(&code).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", code.join("a.py")).unwrap();
        assert!(matches!(changed(&code, run.path()), Err(ScriptError::Folder(_))));
    }
}
