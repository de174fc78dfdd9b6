//! Identifiers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A run's name, unique among the runs of a machine; also the label on whatever
/// the run creates outside its folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    /// A run id from text; the caller has made sure that it is safe as a label.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The run in the folder of a name, as sandboxes know it: a copy of the folder is a run of its own there.
    #[must_use]
    pub fn in_folder(&self, folder: &str) -> Self {
        Self(format!("{}@{folder}", self.0))
    }

    /// The id, and the folder's name where it is [`in_folder`](Self::in_folder).
    pub fn parts(&self) -> (&str, Option<&str>) {
        match self.0.rsplit_once('@') {
            Some((run, folder)) => (run, Some(folder)),
            None => (&self.0, None),
        }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A text that is no number of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id such as `{prefix}1`")]
pub struct NoId {
    text: String,
    prefix: &'static str,
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = NoId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.strip_prefix($prefix)
                    .unwrap_or(text)
                    .parse()
                    .map(Self)
                    .map_err(|_| NoId {
                        text: text.to_owned(),
                        prefix: $prefix,
                    })
            }
        }
    };
}

numbered!(
    /// One question to a person or policy, counted from 1 within a run.
    ApprovalId,
    "a"
);
numbered!(
    /// One execution of the plan, counted from 1 within a run.
    ExecutionId,
    "x"
);
