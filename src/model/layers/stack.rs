//! The layers around a live model, in their order.

use std::sync::Arc;

use tower::ServiceBuilder;

use crate::model::chat::ChatModel;
use crate::model::client::OnBrokenOff;
use crate::model::layers::budget::{Budgeted, OUTPUT, bytes};
use crate::model::layers::concurrency::{Gate, Limited};
use crate::model::layers::estimated_usage::EstimatedUsage;
use crate::model::layers::retry::{OnWait, Retry, RetryPolicy, Wait};
use crate::model::layers::spend_account::{LostCall, SpendAccount};
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
    /// Charges attempts of a model that gave no answer, and notes them for the journal.
    pub fn charging(&self, model: String) -> OnBrokenOff {
        let (account, waits) = (self.account.clone(), self.waits.clone());
        Arc::new(move |request, broken_off| {
            let call = LostCall {
                model: &model,
                stage: request.position.stage,
                prompt_bytes: bytes(request),
                planned: request.max_output_tokens.unwrap_or(OUTPUT).into(),
            };
            waits.lost(account.lose(&call, broken_off));
        })
    }

    /// `model` with all layers. From the outside in: asking again, what an attempt may cost, tokens that nobody
    /// counted, how many ask at once, and calls that were written as text.
    pub fn around(&self, model: Model) -> Model {
        let (waits, on_wait) = (self.waits.clone(), self.on_wait.clone());
        let noted: OnWait = Arc::new(move |wait: &Wait| {
            waits.retried(wait.duration);
            on_wait(wait);
        });
        let held = self.waits.clone();
        let timer = Arc::new(RealTime::ticking(self.on_tick.clone()));
        ServiceBuilder::new()
            .layer_fn(|inner: Model| -> Model {
                Arc::new(Retry::new(inner, self.retry, timer.clone(), noted.clone()))
            })
            .layer_fn(|inner: Model| -> Model { Arc::new(Budgeted::new(inner, self.account.clone())) })
            .layer_fn(|inner: Model| -> Model { Arc::new(EstimatedUsage::new(inner, self.account.clone())) })
            .layer_fn(|inner: Model| -> Model {
                let held = held.clone();
                let limited = Limited::new(inner, self.gate.clone());
                Arc::new(limited.telling(Arc::new(move |wait| held.held(wait))))
            })
            .layer_fn(|inner: Model| -> Model { Arc::new(TextCalls::new(inner)) })
            .service(model)
    }
}
