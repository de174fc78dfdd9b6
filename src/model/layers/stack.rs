//! The layers around a live model, in their order.

use std::sync::Arc;

use tower::ServiceBuilder;

use crate::model::chat::ChatModel;
use crate::model::layers::budget::Budgeted;
use crate::model::layers::concurrency::{Gate, Limited};
use crate::model::layers::estimated_usage::EstimatedUsage;
use crate::model::layers::retry::{OnWait, Retry, RetryPolicy, Wait};
use crate::model::layers::spend_account::SpendAccount;
use crate::model::layers::text_calls::TextCalls;
use crate::model::layers::timer::{OnTick, RealTime};
use crate::model::layers::waits::Waits;

/// The parts that the layers of one run's model work with.
#[derive(Clone)]
pub struct Stack {
    pub account: Arc<SpendAccount>,
    /// Shared by every run that asks the same provider.
    pub gate: Arc<Gate>,
    pub retry: RetryPolicy,
    pub waits: Arc<Waits>,
    pub on_wait: OnWait,
    pub on_tick: OnTick,
}

type Model = Arc<dyn ChatModel>;

impl Stack {
    /// `model` with all layers. From the outside in: what a call may cost, tokens
    /// that nobody counted, asking again, how many ask at once, and calls that were written as text.
    pub fn around(&self, model: Model) -> Model {
        let (waits, on_wait) = (self.waits.clone(), self.on_wait.clone());
        let noted: OnWait = Arc::new(move |wait: &Wait| {
            waits.retried(wait.duration);
            on_wait(wait);
        });
        let held = self.waits.clone();
        let timer = Arc::new(RealTime::ticking(self.on_tick.clone()));
        ServiceBuilder::new()
            .layer_fn(|inner: Model| -> Model { Arc::new(Budgeted::new(inner, self.account.clone())) })
            .layer_fn(|inner: Model| -> Model { Arc::new(EstimatedUsage::new(inner, self.account.clone())) })
            .layer_fn(|inner: Model| -> Model {
                Arc::new(Retry::new(inner, self.retry, timer.clone(), noted.clone()))
            })
            .layer_fn(|inner: Model| -> Model {
                let held = held.clone();
                let limited = Limited::new(inner, self.gate.clone());
                Arc::new(limited.telling(Arc::new(move |wait| held.held(wait))))
            })
            .layer_fn(|inner: Model| -> Model { Arc::new(TextCalls::new(inner)) })
            .service(model)
    }
}
