//! The engines that cells of a bench are handed to.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An engine that cells are handed to. It is no part of a cell's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum BenchEngine {
    /// This process, as `reprise bench FILE` does it.
    Local,
    /// Arrays of jobs of Slurm's, from a login node.
    Slurm,
}

/// A name that is not one of an engine.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownEngine {
    #[error(
        "a bench submits nothing to Kubernetes: `reprise bench work DIR`, in pods or on any machines that share the \
         folder DIR, runs its cells"
    )]
    Kubernetes,
    #[error("there is no engine `{0}`: give local or slurm")]
    Other(String),
}

impl FromStr for BenchEngine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        match name {
            "local" => Ok(Self::Local),
            "slurm" => Ok(Self::Slurm),
            "kubernetes" => Err(UnknownEngine::Kubernetes),
            other => Err(UnknownEngine::Other(other.to_owned())),
        }
    }
}

impl TryFrom<String> for BenchEngine {
    type Error = UnknownEngine;

    fn try_from(name: String) -> Result<Self, UnknownEngine> {
        name.parse()
    }
}
