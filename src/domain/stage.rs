//! The name of a stage. Which stages a task goes through, and in which order, is
//! its track's affair ([`super::track`]).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::excerpt;

/// The most bytes of a stage's name.
pub const LONGEST: usize = 24;

/// A stage by its name: lower-case ASCII letters, digits and hyphens, beginning with a
/// letter, [`LONGEST`] bytes at most. Stages sort by name; the order of a run is its track's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stage {
    /// The name, filled up with zeros.
    bytes: [u8; LONGEST],
}

/// A text that cannot name a stage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` cannot name a stage: at most {LONGEST} lower-case letters, digits and hyphens, a letter first"
)]
pub struct NoStageName(String);

impl Stage {
    /// The stage of that name, `None` where it cannot name one.
    pub const fn named(name: &str) -> Option<Self> {
        let from = name.as_bytes();
        if from.is_empty() || from.len() > LONGEST || !from[0].is_ascii_lowercase() {
            return None;
        }
        let mut bytes = [0; LONGEST];
        let mut at = 0;
        while at < from.len() {
            let byte = from[at];
            if !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
                return None;
            }
            bytes[at] = byte;
            at += 1;
        }
        Some(Self { bytes })
    }

    /// The name used on the command line, in files and in folders.
    pub fn name(&self) -> &str {
        let length = self.bytes.iter().take_while(|byte| **byte != 0).count();
        std::str::from_utf8(&self.bytes[..length]).unwrap_or_default()
    }
}

impl fmt::Debug for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Stage {
    type Err = NoStageName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| NoStageName(excerpt::shortened(text, 2 * LONGEST)))
    }
}

impl TryFrom<String> for Stage {
    type Error = NoStageName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Stage> for String {
    fn from(stage: Stage) -> Self {
        stage.name().to_owned()
    }
}

impl JsonSchema for Stage {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Stage".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[a-z][a-z0-9-]{0,23}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_and_what_is_none_is_refused() {
        for name in ["a", "extract", "set-up-2", "abcdefghijklmnopqrstuvwx"] {
            let stage: Stage = name.parse().unwrap();
            assert_eq!(stage.name(), name);
            let json = serde_json::to_string(&stage).unwrap();
            assert_eq!(serde_json::from_str::<Stage>(&json).unwrap(), stage);
        }
        for name in [
            "",
            "Extract",
            "2nd",
            "a b",
            "../a",
            "é",
            "abcdefghijklmnopqrstuvwxy",
        ] {
            assert!(name.parse::<Stage>().is_err(), "{name}");
        }
    }
}
