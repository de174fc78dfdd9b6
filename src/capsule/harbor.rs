//! Task folders of Harbor that hold a capsule, as they are written and read here.
//!
//! | file | who sees it |
//! |---|---|
//! | `instruction.md` | the agent |
//! | `environment/Dockerfile`, `environment/CAPSULE/` | the agent, as its container |
//! | `tests/` | the verifier, as a container of its own, and nobody else |
//! | `task.toml` | whoever runs the task |

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout::level::{Layout, Level};
use super::task_file::CapsuleId;

/// The file that says what a task is.
pub const TASK: &str = "task.toml";
/// What its agent is told.
pub const INSTRUCTION: &str = "instruction.md";
/// The folder that the agent's image is built from.
pub const ENVIRONMENT: &str = "environment";
/// The folder that the verifier's image is built from.
pub const TESTS: &str = "tests";
/// The task with its gold, in [`TESTS`]: what a folder is read back from.
pub const TASK_FILE: &str = "task.json";
/// The version of what is written.
pub const FORMAT: u32 = 1;

/// A capsule as it was exported: the part of `metadata` that is ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedCapsule {
    pub format: u32,
    pub capsule: CapsuleId,
    /// What of the capsule is there.
    pub level: Level,
    pub layout: Layout,
    /// The version of the program that wrote it.
    pub program: String,
}

/// A task folder that was written here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarborFolder {
    /// Its task file, with gold.
    pub tasks: PathBuf,
    /// The folder that holds the capsule.
    pub capsules: PathBuf,
    pub exported: ExportedCapsule,
}

/// A fault of a task folder that keeps it from being read back.
#[derive(Debug, thiserror::Error)]
pub enum HarborError {
    #[error("{path} cannot be read: {error}")]
    Unreadable { path: String, error: io::Error },
    #[error(
        "{path} is no task that `reprise capsule export --harbor` wrote ({why}): only those are read, since the gold of \
         others stands in programs"
    )]
    NotOurs { path: String, why: String },
    #[error("{path} was written in format {format}, and this program reads {FORMAT}: use a newer one")]
    Newer { path: String, format: u32 },
    #[error("{folder} lacks {missing}: export the capsule again")]
    Lacks { folder: String, missing: String },
}

#[derive(Deserialize)]
struct TaskToml {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    reprise: ExportedCapsule,
}

impl HarborFolder {
    /// Whether a path is a task folder of Harbor, whoever wrote it.
    pub fn is_one(path: &Path) -> bool {
        path.join(TASK).is_file()
    }

    /// Opens a task folder that was written here.
    ///
    /// # Errors
    /// A folder that cannot be read, that somebody else wrote, or that lacks a part.
    pub fn open(folder: &Path) -> Result<Self, HarborError> {
        let path = folder.join(TASK);
        let shown = path.display().to_string();
        let text = fs::read_to_string(&path).map_err(|error| HarborError::Unreadable {
            path: shown.clone(),
            error,
        })?;
        let TaskToml { metadata } = toml::from_str(&text).map_err(|error| HarborError::NotOurs {
            path: shown.clone(),
            why: error.message().to_owned(),
        })?;
        let exported = metadata.reprise;
        if exported.format > FORMAT {
            return Err(HarborError::Newer {
                path: shown,
                format: exported.format,
            });
        }
        let found = Self {
            tasks: folder.join(TESTS).join(TASK_FILE),
            capsules: folder.join(ENVIRONMENT),
            exported,
        };
        let capsule = found.capsules.join(found.exported.capsule.as_str());
        let missing = match (found.tasks.is_file(), capsule.is_dir()) {
            (true, true) => return Ok(found),
            (false, _) => format!("{TESTS}/{TASK_FILE}"),
            (true, false) => format!("{ENVIRONMENT}/{}", found.exported.capsule),
        };
        Err(HarborError::Lacks {
            folder: folder.display().to_string(),
            missing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "schema_version = \"1.1\"\n[metadata]\ncategory = \"Physics\"\n[metadata.reprise]\nformat = 1\n\
        capsule = \"capsule-0000001\"\nlevel = \"medium\"\nlayout = \"v1.1\"\nprogram = \"0.1.0\"\n";

    fn folder(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(TASK), text).unwrap();
        folder
    }

    #[test]
    fn a_folder_is_read_back_where_it_is_whole() {
        let written = folder(WRITTEN);
        let lacks = HarborFolder::open(written.path()).unwrap_err().to_string();
        assert!(lacks.contains("lacks tests/task.json"), "{lacks}");
        fs::create_dir_all(written.path().join(TESTS)).unwrap();
        fs::write(written.path().join("tests/task.json"), "[]").unwrap();
        let lacks = HarborFolder::open(written.path()).unwrap_err().to_string();
        assert!(lacks.contains("lacks environment/capsule-0000001"), "{lacks}");
        fs::create_dir_all(written.path().join("environment/capsule-0000001")).unwrap();
        let found = HarborFolder::open(written.path()).unwrap();
        assert_eq!(
            (found.exported.level, found.exported.layout),
            (Level::Medium, Layout::V1_1)
        );
        assert!(HarborFolder::is_one(written.path()) && !HarborFolder::is_one(&found.capsules));
    }

    #[test]
    fn what_others_or_later_programs_wrote_is_refused() {
        for (text, words) in [
            ("[metadata]\nauthor_name = \"A\"\n", "only those are read"),
            ("no toml", "only those are read"),
            (&WRITTEN.replace("format = 1", "format = 2"), "use a newer one"),
        ] {
            let error = HarborFolder::open(folder(text).path()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
