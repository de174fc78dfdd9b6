//! The layout of a study's folder, and the names of its parts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::StudyError;

/// The arrangement of a study folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// `input/` and `gt/`.
    Split,
    /// Everything directly in the folder, references included.
    Flat,
}

/// The name of the claim's file.
pub const DETAILS: &str = "initial_details.txt";
/// The name of the paper.
pub const PAPER: &str = "original_paper.pdf";
/// The name of the folder of data and code.
pub const DATA: &str = "replication_data";
/// The name of the study's own description.
pub const MANIFEST: &str = "study.toml";

impl Layout {
    /// The layout of the folder at `root`.
    ///
    /// # Errors
    /// A folder without any of a study's parts.
    pub fn detect(root: &Path) -> Result<Self, StudyError> {
        if root.join("input").is_dir() {
            return Ok(Self::Split);
        }
        if [DETAILS, PAPER, DATA].iter().any(|name| root.join(name).exists()) {
            return Ok(Self::Flat);
        }
        Err(StudyError::NoStudy(root.to_owned()))
    }

    /// The folder that holds what an agent may see.
    pub fn inputs(self, root: &Path) -> PathBuf {
        match self {
            Self::Split => root.join("input"),
            Self::Flat => root.to_owned(),
        }
    }

    /// The folder that holds the references.
    pub fn references(self, root: &Path) -> PathBuf {
        match self {
            Self::Split => root.join("gt"),
            Self::Flat => root.to_owned(),
        }
    }
}

/// Whether a file of this name is a reference wherever it lies.
pub fn is_reference_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "human_preregistration",
        "human_report",
        "expected_post_registration",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

/// Whether a path, relative to the study or to an archive in it, is kept from agents.
pub fn is_private(relative: &Path) -> bool {
    let in_references = relative.iter().any(|part| part.eq_ignore_ascii_case("gt"));
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    in_references || name.eq_ignore_ascii_case(MANIFEST) || is_reference_name(&name)
}
