//! A layer that bounds the calls under way at once, by what the provider puts up with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::signs_of_life::SignsOfLife;

/// The calls to one provider, shared by every model that asks it.
///
/// A rate limit halves the number allowed at once; each answer raises it by a
/// fraction, so that it takes a round of answers to win back one.
#[derive(Debug)]
pub struct Gate {
    most: f64,
    state: Mutex<State>,
    changed: Notify,
    /// What the provider's server shows.
    pub signs: SignsOfLife,
}

#[derive(Debug, Clone, Copy)]
struct State {
    allowed: f64,
    running: u32,
    /// How often the limit was halved.
    halvings: u64,
}

impl Gate {
    /// A gate that lets `most` calls through at once, at first and at best.
    pub fn new(most: u32) -> Arc<Self> {
        let most = f64::from(most.max(1));
        Arc::new(Self {
            most,
            state: Mutex::new(State {
                allowed: most,
                running: 0,
                halvings: 0,
            }),
            changed: Notify::new(),
            signs: SignsOfLife::default(),
        })
    }

    /// How many calls are allowed at once.
    pub fn allowed(&self) -> u32 {
        self.lock().allowed as u32
    }

    /// How many calls are under way.
    pub fn running(&self) -> u32 {
        self.lock().running
    }

    /// Makes a call once there is room for it, and learns from how it ends. `on_held` is told how
    /// long it stood in line, where it did.
    ///
    /// # Errors
    /// The call's own.
    pub async fn pass<T>(
        &self,
        on_held: impl FnOnce(Duration),
        call: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        let pass = match self.try_enter() {
            Some(pass) => pass,
            None => {
                let begun = Instant::now();
                let pass = self.enter().await;
                on_held(begun.elapsed());
                pass
            }
        };
        let result = call.await;
        match &result {
            Ok(_) => self.answered(),
            Err(ModelError::Attempt(failed)) if failed.is_rate_limit() => self.limited(pass.halvings),
            Err(_) => {}
        }
        result
    }

    async fn enter(&self) -> Pass<'_> {
        loop {
            let changed = self.changed.notified();
            if let Some(pass) = self.try_enter() {
                return pass;
            }
            changed.await;
        }
    }

    fn try_enter(&self) -> Option<Pass<'_>> {
        let mut state = self.lock();
        if f64::from(state.running + 1) > state.allowed {
            return None;
        }
        state.running += 1;
        Some(Pass {
            gate: self,
            halvings: state.halvings,
        })
    }

    /// Halves the limit once for all calls that set out under it: those that
    /// come back together were sent too many together.
    fn limited(&self, sent_after: u64) {
        let mut state = self.lock();
        if state.halvings == sent_after {
            state.allowed = (state.allowed / 2.0).max(1.0);
            state.halvings += 1;
        }
    }

    fn answered(&self) {
        let mut state = self.lock();
        state.allowed = (state.allowed + 1.0 / state.allowed).min(self.most);
        drop(state);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call under way; whichever way it ends, another may begin.
struct Pass<'a> {
    gate: &'a Gate,
    halvings: u64,
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.lock().running -= 1;
        self.gate.changed.notify_one();
    }
}

/// A model whose calls go through a gate. It stands inside the retry layer, so
/// that a wait between attempts holds nobody up.
pub struct Limited {
    inner: Arc<dyn ChatModel>,
    gate: Arc<Gate>,
    on_held: Option<OnHeld>,
}

/// Is told how long a call stood in line, where it did.
pub type OnHeld = Arc<dyn Fn(Duration) + Send + Sync>;

impl Limited {
    /// `inner` behind `gate`.
    pub fn new(inner: Arc<dyn ChatModel>, gate: Arc<Gate>) -> Self {
        Self {
            inner,
            gate,
            on_held: None,
        }
    }

    /// The same, with somebody told of each time that a call stood in line.
    pub fn telling(self, on_held: OnHeld) -> Self {
        Self {
            on_held: Some(on_held),
            ..self
        }
    }
}

#[async_trait]
impl ChatModel for Limited {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let told = |wait| {
            if let Some(on_held) = &self.on_held {
                on_held(wait);
            }
        };
        self.gate.pass(told, self.inner.chat(request)).await
    }
}
