//! Shared state of the runs and judges of one process: gates of providers and the common budget.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;

use crate::model::layers::concurrency::Gate;
use crate::model::layers::spend_account::SharedBudget;
use crate::model::providers::provider::Provider;
use crate::policy::limits::{Caps, Used};
use crate::sandbox::admission::Admission;

/// Runs with an execution or a session under way at once, at most, where nothing else is said.
pub const EXECUTIONS: u32 = 64;

/// The shared state of the runs and judges of one process: how many calls are under way at each
/// provider, and the money that all may spend together.
pub struct ProcessShared {
    gates: Arc<Mutex<BTreeMap<String, Arc<Gate>>>>,
    /// Most calls under way at one provider, until it says that these are too many.
    calls_at_once: u32,
    pub pool: Arc<SharedBudget>,
    /// Room for executions.
    pub admission: Arc<Admission>,
    /// The folder of locks that the runs have in common; none where each asks the indexes itself.
    pub(super) locks: Option<PathBuf>,
}

impl Default for ProcessShared {
    fn default() -> Self {
        Self {
            gates: Arc::default(),
            calls_at_once: 256,
            pool: Arc::default(),
            admission: Arc::new(Admission::new(EXECUTIONS)),
            locks: None,
        }
    }
}

impl ProcessShared {
    /// With at most so many calls under way at one provider.
    pub fn with_calls(calls_at_once: u32) -> Self {
        Self {
            calls_at_once,
            ..Self::default()
        }
    }

    /// With caps on what all runs may spend together.
    pub fn with_caps(caps: Caps) -> Self {
        Self {
            pool: SharedBudget::new(caps),
            ..Self::default()
        }
    }

    /// The same for some of the runs, with caps on these beside those on all.
    pub fn for_some(&self, caps: Caps) -> Self {
        self.with_pool(SharedBudget::within(&self.pool, caps))
    }

    /// The same for a run or a judge that goes on, for which so much was set aside.
    pub fn going_on(&self, set_aside: Used) -> Self {
        self.with_pool(SharedBudget::going_on(&self.pool, set_aside))
    }

    fn with_pool(&self, pool: Arc<SharedBudget>) -> Self {
        Self {
            gates: self.gates.clone(),
            calls_at_once: self.calls_at_once,
            pool,
            admission: self.admission.clone(),
            locks: self.locks.clone(),
        }
    }

    /// With at most so many runs that execute at once.
    pub fn with_executions(self, most: u32) -> Self {
        Self {
            admission: Arc::new(Admission::new(most)),
            ..self
        }
    }

    /// With locks of days in a folder, each of which is made once.
    pub fn with_locks(self, folder: PathBuf) -> Self {
        Self {
            locks: Some(folder),
            ..self
        }
    }

    pub(super) fn gate(&self, provider: &Provider, base: Option<&Url>) -> Arc<Gate> {
        let key = format!("{} {}", provider.prefix, base.map_or("", Url::as_str));
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates
            .entry(key)
            .or_insert_with(|| Gate::new(self.calls_at_once))
            .clone()
    }
}
