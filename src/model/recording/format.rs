//! The file `reprise-recording/1`.

use std::io::{Read as _, Write as _};
use std::path::Path;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::conversation::Position;
use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::stage::Stage;
use crate::model::chat::ModelError;
use crate::model::recording::answer::Answer;
use crate::model::recording::canonical::{Canonical, CanonicalTool};
use crate::model::recording::lines::Lines;

/// The format's name and version.
pub const FORMAT: &str = "reprise-recording/1";

/// The origin of a recording that no model made.
pub const WRITTEN_BY_HAND: &str = "written by hand";

/// Most bytes of a recording that are read.
pub const LARGEST: u64 = 256 << 20;

/// A whole recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    pub format: String,
    /// `written by hand`, or `recorded from MODEL`.
    pub origin: String,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub note: Lines,
    /// The study that the conversations are about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub study: String,
    /// The setting of the run, such as `python` or `native, data only`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub setting: String,
    /// Whether the model called tools in text, since it takes no native calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_protocol: bool,
    pub stages: IndexMap<Stage, RecordedStage>,
}

/// One stage's conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedStage {
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What the network answered, in the order of asking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkAnswer>,
}

/// One request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// `None` in a hand-written turn that no run has refreshed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RecordedRequest>,
    pub answer: Answer,
}

/// The request side of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedRequest {
    pub digest: Digest,
    /// The tools on offer, where they differ from those of the turn before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<CanonicalTool>>,
    /// Leading messages shared with the turn before; `None` for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
    /// The messages after those.
    pub added: Vec<Canonical>,
}

/// One answer of the network.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkAnswer {
    /// `web_search`, `fetch_page` or `check_addresses`.
    pub tool: String,
    pub arguments: Value,
    pub result: Value,
    /// The turn and the call that it answers, from 0; without it the answers
    /// that are no failures go by their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<(u32, u32)>,
    /// Whether the model was told of a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

fn is_empty(lines: &Lines) -> bool {
    lines.0.is_empty()
}

/// The one field that is read before anything else.
#[derive(Deserialize)]
struct Header {
    format: String,
}

impl Recording {
    /// An empty recording.
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            origin: origin.into(),
            note: Lines::default(),
            study: String::new(),
            setting: String::new(),
            text_protocol: false,
            stages: IndexMap::new(),
        }
    }

    /// Reads a recording; `name` is what errors call it.
    ///
    /// # Errors
    /// JSON that cannot be read as a recording, or a newer format.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, ModelError> {
        let broken = |error: serde_json::Error| {
            ModelError::Misconfigured(format!(
                "The recording `{name}` cannot be read: {error}. Mend the file, or record it again."
            ))
        };
        let header: Header = serde_json::from_slice(bytes).map_err(broken)?;
        if header.format != FORMAT {
            return Err(ModelError::Misconfigured(format!(
                "The recording `{name}` has the format `{}`, and this program reads `{FORMAT}`. Use the program that wrote it, or record it again.",
                excerpt::shortened(&header.format, 60)
            )));
        }
        serde_json::from_slice(bytes).map_err(broken)
    }

    /// Reads a recording from a file.
    ///
    /// # Errors
    /// A file that cannot be read, is too large, or is no recording.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let name = path.display().to_string();
        let unreadable = |error: &dyn std::fmt::Display| {
            ModelError::Misconfigured(format!(
                "The recording `{name}` cannot be read: {error}. Name a recording that exists."
            ))
        };
        let file = std::fs::File::open(path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        file.take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(unreadable(&format!("it has more than {LARGEST} bytes")));
        }
        Self::parse(&name, &bytes)
    }

    /// The file's text: the same for equal recordings, and ending in a line end.
    ///
    /// # Errors
    /// Never, as long as a recording is what JSON can hold.
    pub fn to_json(&self) -> Result<String, ModelError> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| ModelError::Misconfigured(format!("A recording cannot be written: {error}.")))?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the file whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let text = self.to_json()?;
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)
        });
        written.map(drop).map_err(|error| {
            ModelError::Misconfigured(format!(
                "The recording `{}` cannot be written: {error}.",
                path.display()
            ))
        })
    }

    /// One turn.
    pub fn turn(&self, position: Position) -> Option<&Turn> {
        let turn = usize::try_from(position.turn).ok()?;
        self.stages.get(&position.stage)?.turns.get(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let cases = [
            ("{", "EOF"),
            ("[]", "invalid"),
            (
                r#"{"format": "reprise-recording/2", "stages": 1}"#,
                "reprise-recording/1",
            ),
            (
                r#"{"format": "reprise-recording/1", "origin": "", "stages": {}, "stagse": 1}"#,
                "stagse",
            ),
            (
                r#"{"format": "reprise-recording/1", "origin": "", "stages": {"De sign": {}}}"#,
                "De sign",
            ),
        ];
        for (text, part) in cases {
            let error = Recording::parse("x.json", text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(part) && error.contains("x.json"),
                "{text}: {error}"
            );
        }
    }
}
