//! The agents of our own that attempt capsules.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An agent of our own, in the loop that every run has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapsuleAgent {
    /// The plain loop.
    #[default]
    Plain,
    /// With the behaviours that the paper of CORE-Bench credits to its own agent (Siegel et al. 2024):
    /// hints by level, figures put to a model that sees, a report that code checks before it is taken,
    /// and a limit of cost.
    CoreAgent,
}

/// A name that no agent of our own has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no agent of this program: there are plain and core-agent")]
pub struct UnknownCapsuleAgent(String);

impl CapsuleAgent {
    /// Every one of them.
    pub const ALL: [Self; 2] = [Self::Plain, Self::CoreAgent];

    /// The name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::CoreAgent => "core-agent",
        }
    }

    /// The agent in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Plain => "our own loop",
            Self::CoreAgent => {
                "our own loop with hints by level, figures put to a model that sees, a report that is checked, and a limit \
                 of cost"
            }
        }
    }

    /// The folder of its own definitions in that of a stage; the plain one has none.
    pub fn folder(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::CoreAgent => Some(self.name()),
        }
    }

    /// Whether it is the one that attempts where none is named.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

impl fmt::Display for CapsuleAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for CapsuleAgent {
    type Err = UnknownCapsuleAgent;

    fn from_str(text: &str) -> Result<Self, UnknownCapsuleAgent> {
        let found = Self::ALL.into_iter().find(|agent| agent.name() == text);
        found.ok_or_else(|| UnknownCapsuleAgent(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_found_by_its_name() {
        for agent in CapsuleAgent::ALL {
            assert_eq!(agent.name().parse(), Ok(agent));
            let kept = serde_json::to_string(&agent).unwrap();
            assert_eq!(kept, format!("\"{agent}\""));
        }
        assert!("codex".parse::<CapsuleAgent>().is_err());
    }
}
