//! The options of sessions: their network, their place and their bounds.

use clap::{Args, ValueEnum};

use crate::domain::execution::Limits;
use crate::engine::request::SandboxChoice;
use crate::sandbox::session::indexes::INDEXES;

/// The network of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NetworkChoice {
    /// The package indexes of Python and R.
    Indexes,
    /// None at all, but for hosts that are named.
    None,
}

impl NetworkChoice {
    /// The hosts that are reached, with those that were named besides.
    pub fn hosts(self, named: &[String]) -> Vec<String> {
        let chosen: &[&str] = match self {
            Self::Indexes => &INDEXES,
            Self::None => &[],
        };
        let chosen = chosen.iter().map(|&host| host.to_owned());
        chosen.chain(named.iter().cloned()).collect()
    }
}

/// The place and the bounds of sessions.
#[derive(Debug, Clone, Copy, Args)]
pub struct SessionLimits {
    /// Where the shell runs.
    #[arg(long, value_enum, default_value_t = SandboxChoice::Auto)]
    pub sandbox: SandboxChoice,
    /// Seconds that the session may take.
    #[arg(
        long,
        default_value_t = 18_000,
        value_name = "SECONDS",
        help_heading = "Limits"
    )]
    pub time_limit: u64,
    /// Memory of the session, in MiB.
    #[arg(long, default_value_t = 4096, value_name = "MIB", help_heading = "Limits")]
    pub memory_limit: u64,
    /// Processes and threads of the session.
    #[arg(long, default_value_t = 512, value_name = "COUNT", help_heading = "Limits")]
    pub process_limit: u64,
    /// Processors of the session, where its sandbox can limit them.
    #[arg(long, default_value_t = 1, value_name = "COUNT", help_heading = "Limits")]
    pub processors: u64,
}

impl SessionLimits {
    /// As a run keeps them.
    pub fn limits(self) -> Limits {
        Limits {
            seconds: self.time_limit,
            memory: self.memory_limit << 20,
            processes: self.process_limit,
            processors: Some(self.processors),
            ..Limits::default()
        }
    }
}
