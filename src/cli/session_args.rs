//! The options of sessions: their place and their bounds.

use clap::Args;

use crate::domain::execution::Limits;
use crate::engine::choice::session::session_limits;
use crate::engine::request::SandboxChoice;

/// The place and the bounds of sessions.
#[derive(Debug, Clone, Copy, Args)]
pub struct SessionLimits {
    /// Where the shell runs.
    #[arg(long, value_enum, default_value_t = SandboxChoice::Auto)]
    pub sandbox: SandboxChoice,
    /// Seconds that the session may take.
    #[arg(
        long,
        default_value_t = session_limits().seconds,
        value_name = "SECONDS",
        help_heading = "Limits"
    )]
    pub time_limit: u64,
    /// Memory of the session, in MiB.
    #[arg(long, default_value_t = session_limits().memory >> 20, value_name = "MIB", help_heading = "Limits")]
    pub memory_limit: u64,
    /// Processes and threads of the session.
    #[arg(long, default_value_t = session_limits().processes, value_name = "COUNT", help_heading = "Limits")]
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
