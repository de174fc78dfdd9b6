//! `task.toml`: what a task that is no study says of itself.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;

use super::error::StudyError;
use crate::domain::text_place::{in_utf8, line_of, with_quotes};

/// The name of the file.
pub const TASK: &str = "task.toml";

/// The most bytes of it that are read.
const LARGEST: u64 = 1 << 20;

/// The keys that tasks of every track have; a track may add its own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskFile {
    /// The track that the task belongs to.
    pub track: String,
    pub id: String,
    #[serde(default)]
    pub title: Option<String>,
    /// What is asked of the agent.
    pub question: String,
}

impl TaskFile {
    /// The description of the task in a folder; `None` where it has none, as a study has.
    ///
    /// # Errors
    /// Where the file cannot be read, or lacks a key.
    pub fn find(folder: &Path) -> Result<Option<Self>, StudyError> {
        let path = folder.join(TASK);
        let mut bytes = Vec::new();
        match fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(error),
            Ok(file) => file.take(LARGEST).read_to_end(&mut bytes),
        }
        .map_err(StudyError::io("read", &path))?;
        let text = in_utf8(bytes).map_err(|error| StudyError::BadManifest {
            file: path.clone(),
            line: error.line,
            problem: "it is not UTF-8 text: save it as UTF-8".to_owned(),
        })?;
        toml::from_str(&text)
            .map(Some)
            .map_err(|error| StudyError::BadManifest {
                file: path.clone(),
                line: line_of(&text, error.span().map_or(0, |span| span.start)),
                problem: with_quotes(&text, error.span().map_or(0, |span| span.start), error.message()),
            })
    }
}
