//! The spend account of a run, as calls that come at once draw on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::model::broken_off::BrokenOff;
use crate::model::counted_usage::{believed, completed};
use crate::model::layers::spend_account::{LostCall, Reservation, SpendAccount};
use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::policy::limits::Reached;

/// The account of one stage's calls.
///
/// What a call could take is far more than what most take. A call that there is no room for while
/// others hold theirs therefore waits for one of them to end, and is refused when nobody else holds
/// anything: no cap is told to be reached that was not.
#[derive(Debug)]
pub struct CallBudget {
    account: Arc<SpendAccount>,
    /// The model's full name, by which its density is known.
    model: String,
    stage: Stage,
    under_way: AtomicU64,
    freed: Notify,
}

/// A call that may be made.
#[derive(Debug)]
pub struct CallAllowance {
    /// Most tokens of the answer; `None`: as many as it asks for.
    pub output: Option<u64>,
    held: Option<HeldReservation>,
    /// Tokens of attempts that gave no answer.
    lost: Mutex<Usage>,
}

/// A reservation for a call, given back where the call does not end.
#[derive(Debug)]
struct HeldReservation {
    budget: Arc<CallBudget>,
    reservation: Option<Reservation>,
}

impl Drop for HeldReservation {
    fn drop(&mut self) {
        self.end(None);
    }
}

impl HeldReservation {
    fn end(&mut self, usage: Option<Usage>) {
        if let Some(reservation) = self.reservation.take() {
            self.budget.account.settle(reservation, usage);
            self.budget.under_way.fetch_sub(1, Ordering::SeqCst);
            self.budget.freed.notify_waiters();
        }
    }
}

impl CallAllowance {
    /// A call that costs nothing, such as one that a recording answers.
    pub fn free() -> Self {
        Self {
            output: None,
            held: None,
            lost: Mutex::default(),
        }
    }

    /// Charges an attempt that gave no answer.
    pub fn lose(&self, call: &ProxiedCall, broken_off: BrokenOff) {
        let Some(held) = &self.held else { return };
        let lost = LostCall {
            model: &held.budget.model,
            stage: held.budget.stage,
            prompt_bytes: call.prompt_bytes,
            planned: self.output.unwrap_or(call.limit.planned),
        };
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) +=
            held.budget.account.lose(&lost, broken_off);
    }

    /// Tokens of attempts that gave no answer.
    pub fn lost(&self) -> Usage {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another attempt may be made.
    ///
    /// # Errors
    /// The first cap that it could go beyond.
    pub fn ensure_afforded(&self) -> Result<(), Reached> {
        let held = self.held.as_ref();
        let reserved = held.and_then(|held| Some((&held.budget.account, held.reservation.as_ref()?)));
        reserved.map_or(Ok(()), |(account, reservation)| {
            account.ensure_afforded(reservation)
        })
    }
}

impl CallBudget {
    /// The account's part for the calls of a stage.
    pub fn new(account: Arc<SpendAccount>, model: impl Into<String>, stage: Stage) -> Arc<Self> {
        Arc::new(Self {
            account,
            model: model.into(),
            stage,
            under_way: AtomicU64::new(0),
            freed: Notify::new(),
        })
    }

    /// Sets aside what a call could take.
    ///
    /// # Errors
    /// The first cap that the call could go beyond when no other call is under way.
    pub async fn reserve(self: &Arc<Self>, call: &ProxiedCall) -> Result<CallAllowance, Reached> {
        let prompt = self.account.prompt(&self.model, self.stage, call.prompt_bytes);
        let planned = call.limit.planned;
        loop {
            let freed = self.freed.notified();
            let whole = self.account.reserve_whole(self.stage, prompt, planned);
            let reached = match whole {
                Ok(reservation) => return Ok(self.held(reservation)),
                Err(reached) => reached,
            };
            if self.under_way.load(Ordering::SeqCst) == 0 {
                let held = self.held(self.account.reserve(self.stage, prompt, planned)?);
                // A provider that is to think within more than that would turn the request down.
                return match held.output.is_none_or(|output| output >= call.limit.least) {
                    true => Ok(held),
                    false => Err(reached),
                };
            }
            freed.await;
        }
    }

    fn held(self: &Arc<Self>, reservation: Reservation) -> CallAllowance {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        CallAllowance {
            output: self.account.is_capped().then_some(reservation.output),
            held: Some(HeldReservation {
                budget: self.clone(),
                reservation: Some(reservation),
            }),
            lost: Mutex::default(),
        }
    }

    /// Charges what an answer took: the tokens that the provider counted, and an estimate that says so
    /// for those that it did not. A price that the provider names is not looked at.
    pub fn charge(&self, call: &ProxiedCall, answer: &mut ProviderAnswer, allowance: CallAllowance) {
        let counted = answer.response.usage;
        let calls = answer.response.calls.iter();
        let called: usize = calls.map(|call| call.name.len() + call.arguments.len()).sum();
        let said = (answer.response.text.len() + called) as u64;
        let prompt = self.account.prompt(&self.model, self.stage, call.prompt_bytes);
        let usage = completed(
            believed(counted, prompt),
            prompt,
            self.account.text(&self.model, said),
        );
        answer.response.usage = usage;
        if let Some(mut held) = allowance.held {
            held.end(Some(usage));
            if counted.input > 0 {
                self.account
                    .counted(&self.model, self.stage, call.prompt_bytes, counted);
            }
        }
    }

    /// The tokens that a body of so many bytes is taken to have.
    pub fn estimate(&self, bytes: u64) -> u64 {
        self.account.prompt(&self.model, self.stage, bytes)
    }
}
