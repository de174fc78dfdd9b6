//! Paths inside a run's workspace.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A relative path below the workspace: no `..`, no root, no empty part, no
/// NUL. Lexical only; whoever opens it still has to refuse symbolic links.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkspacePath(String);

/// The longest part of a path, in bytes; file systems refuse more than 255.
const LONGEST_PART: usize = 240;

/// A path that leaves the workspace or is no path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutsideWorkspace {
    #[error("`{0}` is an absolute path: name files relative to the workspace, such as `work/analysis.py`")]
    Absolute(String),
    #[error("`{0}` climbs out of the workspace with `..`")]
    Climbs(String),
    #[error("`{0}` is not a usable path")]
    Malformed(String),
}

impl WorkspacePath {
    /// The folder that the agent may write.
    pub const WORK: &str = "work";
    /// The folder that holds the study's data, read-only.
    pub const DATA: &str = "replication_data";

    /// The path with `/` between its parts; empty for the workspace itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path below a folder on disk.
    pub fn below(&self, root: &Path) -> PathBuf {
        if self.0.is_empty() {
            root.to_owned()
        } else {
            root.join(&self.0)
        }
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The extension with its case kept, without the dot.
    pub fn extension(&self) -> Option<&str> {
        let (stem, extension) = self.file_name().rsplit_once('.')?;
        (!stem.is_empty()).then_some(extension)
    }

    /// The containing folder; `None` for the workspace itself.
    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        Some(Self(
            self.0
                .rsplit_once('/')
                .map_or(String::new(), |(parent, _)| parent.to_owned()),
        ))
    }

    /// Whether a name as people write it stands for the path: the path itself, with
    /// a leading `/workspace/`, `./` or `../`, or its last parts.
    pub fn is_named_by(&self, name: &str) -> bool {
        let name = name.trim().trim_start_matches("./").trim_start_matches('/');
        let name = name.strip_prefix("workspace/").unwrap_or(name);
        let name = name.strip_prefix("../").unwrap_or(name);
        !name.is_empty()
            && self
                .0
                .strip_suffix(name)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }

    /// Whether the path is `folder` or lies below it.
    pub fn starts_with(&self, folder: &str) -> bool {
        folder.is_empty()
            || self.0 == folder
            || self
                .0
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
    }
}

impl FromStr for WorkspacePath {
    type Err = OutsideWorkspace;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with('/') {
            return Err(OutsideWorkspace::Absolute(text.to_owned()));
        }
        if text.contains('\0') || text.len() > 4096 {
            return Err(OutsideWorkspace::Malformed(
                text.escape_debug().take(80).collect(),
            ));
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(OutsideWorkspace::Climbs(text.to_owned())),
                part if part.len() > LONGEST_PART || part.chars().any(char::is_control) => {
                    return Err(OutsideWorkspace::Malformed(
                        part.escape_debug().take(80).collect(),
                    ));
                }
                part => parts.push(part),
            }
        }
        Ok(Self(parts.join("/")))
    }
}

impl fmt::Display for WorkspacePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl Serialize for WorkspacePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for WorkspacePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_last_parts() {
        let path: WorkspacePath = "replication_data/wave5/a.csv".parse().unwrap();
        for name in [
            "a.csv",
            "wave5/a.csv",
            "/workspace/replication_data/wave5/a.csv",
            "../replication_data/wave5/a.csv",
            "./wave5/a.csv",
        ] {
            assert!(path.is_named_by(name), "{name}");
        }
        for name in ["", "5/a.csv", "b.csv", "csv"] {
            assert!(!path.is_named_by(name), "{name}");
        }
    }

    #[test]
    fn escapes_are_refused() {
        let long = "x".repeat(300);
        for bad in [
            "/etc/passwd",
            "../x",
            "work/../../x",
            "a\0b",
            "work/..",
            "a\u{1b}[2J",
            &long,
        ] {
            assert!(bad.parse::<WorkspacePath>().is_err(), "{bad:?}");
        }
        let path: WorkspacePath = "./work//analysis.v2.py".parse().unwrap();
        assert_eq!(path.as_str(), "work/analysis.v2.py");
        assert_eq!(path.extension(), Some("py"));
        assert_eq!(path.parent().unwrap().as_str(), "work");
        assert!(path.starts_with("work") && !path.starts_with("wor"));
    }
}
