//! Settings of the local sandbox.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::domain::execution::Tier;

/// The settings of the local sandbox.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// A binary that calls [`super::helper::entry::main`] when its first
    /// argument is [`super::helper::tell::ARGUMENT`]; the engine's own, as a rule.
    pub helper: PathBuf,
    /// The folder for environments, which all runs share.
    pub cache: PathBuf,
    /// The folder for short-lived private folders.
    pub scratch: PathBuf,
    /// The Python to make environments with; `None` looks along `PATH`.
    pub python: Option<PathBuf>,
    /// The operator's environment. Only `PATH` and `HOME`, to find Python, and
    /// what tells pip about indexes, certificates and proxies, is used.
    pub operator: BTreeMap<String, String>,
    /// The tier to use; `None` takes the best that works.
    pub tier: Option<Tier>,
    /// Longest time for a build, and longest time in which it may be silent.
    pub build: Duration,
    pub build_silence: Duration,
}

impl LocalSettings {
    /// Settings with everything below `cache`, an hour for a build and ten
    /// minutes of silence.
    pub fn new(helper: impl Into<PathBuf>, cache: impl Into<PathBuf>) -> Self {
        let cache = cache.into();
        Self {
            helper: helper.into(),
            scratch: cache.join("scratch"),
            cache,
            python: None,
            operator: BTreeMap::new(),
            tier: None,
            build: Duration::from_secs(3600),
            build_silence: Duration::from_secs(600),
        }
    }
}
