//! Models of providers, with their layers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::engine::error::EngineError;
use crate::engine::watch::Watch;
use crate::model::access::Access;
use crate::model::capabilities::Capabilities;
use crate::model::chat::ChatModel;
use crate::model::layers::retry::{OnWait, RetryPolicy, Wait};
use crate::model::layers::spend_account::SpendAccount;
use crate::model::layers::stack::Stack;
use crate::model::layers::timer::OnTick;
use crate::model::layers::waits::Waits;
use crate::model::name::ModelName;
use crate::model::progress::{OnProgress, Progress};
use crate::model::served::{Serving, serve};
use crate::policy::limits::Budget;
use crate::settings::Settings;

use super::clock::clock;
use super::process_shared::ProcessShared;

/// A model of a provider with its layers, and what it waits for.
pub(super) fn live(
    settings: &Settings,
    shared: &ProcessShared,
    name: &ModelName,
    serving: Serving,
    account: &Arc<SpendAccount>,
    watch: &Arc<dyn Watch>,
) -> Result<(Arc<dyn ChatModel>, Arc<Waits>), EngineError> {
    let ModelName::Served { provider, base, .. } = name else {
        return Err(EngineError::Unusable(format!(
            "`{name}` is a recording; nobody serves it."
        )));
    };
    let waits = Arc::<Waits>::default();
    let (on_wait, on_tick) = waiting(watch);
    let gate = shared.gate(provider, base.as_ref());
    let signs = gate.signs.clone();
    let stack = Stack {
        account: account.clone(),
        gate,
        retry: RetryPolicy::with(serving.wanted_patience()),
        waits: waits.clone(),
        on_wait,
        on_tick,
    };
    let serving = Serving {
        on_broken_off: Some(stack.charging(name.to_string())),
        signs,
        ..serving
    };
    let model = stack.around(serve(name, serving, clock(settings))?);
    Ok((model, waits))
}

pub(super) fn arriving(watch: &Arc<dyn Watch>) -> OnProgress {
    let watch = watch.clone();
    Arc::new(move |progress: Progress| watch.arriving(progress.bytes))
}

/// A model that is tried out, and what the table of models says of it.
pub struct OnTrial {
    pub model: Arc<dyn ChatModel>,
    pub known: Capabilities,
}

/// A model that offers everything, whatever the table says of it.
///
/// # Errors
/// A name that is none, a key that is absent, or a setting that cannot be used.
pub fn on_trial(
    settings: &Settings,
    name: &str,
    streamed: bool,
    watch: &Arc<dyn Watch>,
) -> Result<OnTrial, EngineError> {
    let parsed: ModelName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let access = Access::open(settings)?;
    let known = access.capabilities(name);
    let mut serving = access.serving(&parsed)?;
    serving.capabilities.tools = Some(true);
    serving.capabilities.schema = Some(true);
    if streamed {
        serving.on_progress = Some(Arc::new(|_| {}));
    }
    let account = SpendAccount::new(Budget::default(), known.price, Arc::default());
    let (model, _) = live(
        settings,
        &ProcessShared::default(),
        &parsed,
        serving,
        &account,
        watch,
    )?;
    Ok(OnTrial { model, known })
}

/// What tells of waits: a line for each, and how much of it is left.
pub(super) fn waiting(watch: &Arc<dyn Watch>) -> (OnWait, OnTick) {
    let why = Arc::new(Mutex::new(String::new()));
    let (noted, teller, ticker) = (why.clone(), watch.clone(), watch.clone());
    let on_wait = move |wait: &Wait| {
        noted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&wait.reason);
        teller.line(&format!(
            "waiting for the provider, {} s left ({})",
            wait.duration.as_secs_f64().ceil(),
            wait.reason
        ));
    };
    let on_tick = move |left: Duration| {
        ticker.waiting(left, &why.lock().unwrap_or_else(PoisonError::into_inner));
    };
    (Arc::new(on_wait), Arc::new(on_tick))
}
