//! The choices of an attempt at a capsule.

use std::path::PathBuf;

use crate::capsule::layout::level::{Layout, Level};
use crate::domain::usage::MicroDollars;
use crate::engine::request::LostSession;
use crate::policy::limits::Budget;
use crate::policy::scope::Scope;

use super::run::RunChoice;
use super::session::{NetworkChoice, session_limits};

/// The choices of an attempt at a capsule.
#[derive(Debug, Clone, PartialEq)]
pub struct CapsuleChoice {
    pub run: RunChoice,
    /// The folder that holds the capsules; that of the task file if none is named.
    pub capsules: Option<PathBuf>,
    pub level: Level,
    pub layout: Layout,
    /// A file with images that replace published ones.
    pub base_images: Option<PathBuf>,
    pub network: NetworkChoice,
    pub lost_session: LostSession,
    pub published: Option<PublishedLimits>,
}

/// The limits of an attempt, as they were published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PublishedLimits {
    /// $4 and two hours.
    Original,
    /// 45 minutes.
    #[value(name = "v1.1-cli")]
    V11Cli,
    /// Five hours and 200 model calls.
    #[value(name = "v1.1-core-agent")]
    V11CoreAgent,
}

impl Default for CapsuleChoice {
    fn default() -> Self {
        Self {
            run: RunChoice::new(session_limits()),
            capsules: None,
            level: Level::Hard,
            layout: Layout::Original,
            base_images: None,
            network: NetworkChoice::default(),
            lost_session: LostSession::default(),
            published: None,
        }
    }
}

impl PublishedLimits {
    /// Sets each limit that nobody has set otherwise.
    pub fn lay_under(self, budget: &mut Budget) {
        let caps = budget.at(Scope::Run);
        let (seconds, turns, dollars) = match self {
            Self::Original => (7200, None, Some(4)),
            Self::V11Cli => (2700, None, None),
            Self::V11CoreAgent => (18_000, Some(200), None),
        };
        caps.seconds = caps.seconds.or(Some(seconds));
        caps.turns = caps.turns.or(turns);
        caps.money = caps
            .money
            .or(dollars.map(|dollars| MicroDollars(dollars * 1_000_000)));
    }
}
