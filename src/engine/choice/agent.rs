//! The choice of an agent.

use std::path::PathBuf;

use crate::domain::claim_only;
use crate::domain::proxy_dialect::ProxyDialect;

/// The agent of a run and its options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentChoice {
    /// Our own loop if none is named.
    pub name: Option<String>,
    /// The dialect that a third-party agent must be answered in.
    pub dialect: Option<ProxyDialect>,
    /// Refused, with the way out.
    pub translate: bool,
    /// A folder with the files of a third-party agent.
    pub files: Option<PathBuf>,
    /// A folder whose definitions of agents come before the built-in ones.
    pub agents_dir: Option<PathBuf>,
    /// The program and its arguments in one text.
    pub program: Option<String>,
    /// The program and its arguments in words.
    pub typed: Vec<String>,
    /// `NAME=VALUE`, as the agent's definition passes them on.
    pub arguments: Vec<String>,
    pub sampling: AgentSampling,
}

/// The settings by which a model draws for an agent of this program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum AgentSampling {
    /// Those of its file.
    #[default]
    Agent,
    /// The provider's own.
    Provider,
}

impl AgentChoice {
    /// True if the model is given the claim alone.
    pub fn is_claim_only(&self) -> bool {
        self.name.as_deref() == Some(claim_only::TRACK)
    }
}
