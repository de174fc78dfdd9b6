//! The choices of runs with a lasting session.

use crate::domain::execution::Limits;
use crate::sandbox::session::indexes::INDEXES;

/// The network of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum NetworkChoice {
    /// The package indexes of Python and R.
    #[default]
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

/// The limits of a session if no others are chosen.
pub fn session_limits() -> Limits {
    Limits {
        seconds: 18_000,
        processes: 512,
        processors: Some(1),
        ..Limits::default()
    }
}
