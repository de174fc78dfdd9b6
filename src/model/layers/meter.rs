//! Counts calls, tokens and money.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::domain::stage::Stage;
use crate::domain::usage::{MicroDollars, Usage};
use crate::model::capabilities::Price;
use crate::model::chat::{ChatModel, ChatRequest, ChatResponse, ModelError};

/// What some calls came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Calls that were answered.
    pub calls: u64,
    pub usage: Usage,
    /// `None` where the model's price is unknown.
    pub cost: Option<MicroDollars>,
}

/// Counts what the model behind it was asked for and answered.
pub struct Meter {
    inner: Arc<dyn ChatModel>,
    price: Option<Price>,
    stages: Mutex<BTreeMap<Stage, (u64, Usage)>>,
}

impl Meter {
    /// A meter before `inner`, which costs `price`.
    pub fn new(inner: Arc<dyn ChatModel>, price: Option<Price>) -> Self {
        Self {
            inner,
            price,
            stages: Mutex::default(),
        }
    }

    /// The price that costs are counted at.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// What one stage came to so far.
    pub fn stage(&self, stage: Stage) -> Total {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, usage) = stages.get(&stage).copied().unwrap_or_default();
        self.priced(calls, usage)
    }

    /// What all stages came to so far.
    pub fn total(&self) -> Total {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, usage) = stages
            .values()
            .fold((0, Usage::default()), |sum, (calls, usage)| {
                (sum.0 + calls, sum.1 + *usage)
            });
        self.priced(calls, usage)
    }

    fn priced(&self, calls: u64, usage: Usage) -> Total {
        Total {
            calls,
            usage,
            cost: self.price.map(|price| price.cost(usage)),
        }
    }
}

#[async_trait]
impl ChatModel for Meter {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let response = self.inner.chat(request).await?;
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let (calls, usage) = stages.entry(request.position.stage).or_default();
        *calls += 1;
        *usage += response.usage;
        drop(stages);
        Ok(response)
    }
}
