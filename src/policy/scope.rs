//! Scopes and quantities of caps, as `--cap` spells them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::domain::stage::Stage;
use crate::domain::usage::MicroDollars;

/// The scope of a cap: `turn`, `stage`, a stage's name, `run` or `batch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Scope {
    /// Every single model call.
    Turn,
    /// Every stage.
    EachStage,
    Stage(Stage),
    Run,
    /// All runs of one process.
    Batch,
}

/// The quantity that is capped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    Turns,
    Tokens,
    Money,
    Seconds,
}

/// A text that names nothing that a cap can hold for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is nothing that a cap can hold for: expected turn, stage, run, batch or a stage's name")]
pub struct NoScope(String);

impl FromStr for Scope {
    type Err = NoScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "turn" => Self::Turn,
            "stage" => Self::EachStage,
            "run" => Self::Run,
            "batch" => Self::Batch,
            _ => Self::Stage(text.parse().map_err(|_| NoScope(text.to_owned()))?),
        })
    }
}

impl TryFrom<String> for Scope {
    type Error = NoScope;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Scope> for String {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Turn => "turn".to_owned(),
            Scope::EachStage => "stage".to_owned(),
            Scope::Stage(stage) => stage.to_string(),
            Scope::Run => "run".to_owned(),
            Scope::Batch => "batch".to_owned(),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn => formatter.write_str("a turn"),
            Self::EachStage => formatter.write_str("a stage"),
            Self::Stage(stage) => write!(formatter, "the stage {stage}"),
            Self::Run => formatter.write_str("the run"),
            Self::Batch => formatter.write_str("all runs together"),
        }
    }
}

impl Quantity {
    /// The flag that sets the cap.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Turns => "--max-turns",
            Self::Tokens => "--max-tokens",
            Self::Money => "--max-cost",
            Self::Seconds => "--max-time",
        }
    }

    /// An amount with its unit.
    pub fn written(self, amount: u64) -> String {
        match self {
            Self::Turns => format!("{amount} turns"),
            Self::Tokens => format!("{amount} tokens"),
            Self::Money => MicroDollars(amount).to_string(),
            Self::Seconds => format!("{amount} seconds"),
        }
    }
}
