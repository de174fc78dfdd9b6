//! An engine that keeps what it is told in memory.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use reprise::domain::usage::Usage;
use reprise::domain::waiting::Waiting;
use reprise::model::proxy::call_budget::{CallAllowance, CallBudget};
use reprise::model::proxy::call_engine::{CallEngine, EndedCall};
use reprise::model::proxy::call_failure::CallFailure;
use reprise::model::proxy::proxied_call::ProxiedCall;

/// A call as it was recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub call: ProxiedCall,
    /// The tokens that were charged, or why there was no answer.
    pub end: Result<Usage, String>,
    pub body: Vec<u8>,
    pub retries: u32,
    /// Tokens of attempts before the answer.
    pub lost: Usage,
}

pub struct Keeper {
    pub budget: Arc<CallBudget>,
    pub recorded: Mutex<Vec<Recorded>>,
    pub resends: Mutex<Vec<u64>>,
    pub turned_away: Mutex<Vec<String>>,
    /// Whether nothing can be recorded.
    pub full: bool,
}

impl Keeper {
    pub fn recorded(&self) -> Vec<Recorded> {
        self.recorded.lock().unwrap().clone()
    }
}

#[async_trait]
impl CallEngine for Keeper {
    async fn reserve(&self, call: &ProxiedCall) -> Result<CallAllowance, CallFailure> {
        self.budget.reserve(call).await.map_err(CallFailure::Spent)
    }

    async fn record(&self, call: &ProxiedCall, ended: EndedCall<'_>) -> Result<(), CallFailure> {
        if self.full {
            return Err(CallFailure::Unrecorded("the disk is full".to_owned()));
        }
        let mut waiting = Waiting::default();
        let mut body = Vec::new();
        let end = match ended {
            EndedCall::Answered { answer, allowance } => {
                self.budget.charge(call, answer, allowance);
                waiting = answer.waiting;
                body = answer.body.to_vec();
                Ok(answer.response.usage)
            }
            EndedCall::Failed(failure) => Err(failure.to_string()),
        };
        let call = call.clone();
        self.recorded.lock().unwrap().push(Recorded {
            call,
            end,
            body,
            retries: waiting.retries,
            lost: waiting.lost,
        });
        Ok(())
    }

    fn resent(&self, times: u64) {
        self.resends.lock().unwrap().push(times);
    }

    fn turned_away(&self, why: &str) {
        self.turned_away.lock().unwrap().push(why.to_owned());
    }
}
