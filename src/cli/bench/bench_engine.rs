//! The engines that cells of a bench are handed to.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// An engine that cells are handed to. It is no part of a cell's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BenchEngine {
    /// This process, as `reprise bench FILE` does it.
    Local,
    /// Arrays of jobs of Slurm's, from a login node.
    Slurm,
    /// Indexed Jobs of Kubernetes; of a program that was built with `--features kubernetes`.
    Kubernetes,
}
