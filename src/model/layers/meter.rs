//! Counts calls, tokens and money.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::domain::stage::Stage;
use crate::domain::usage::{MicroDollars, Usage};
use crate::model::capabilities::Price;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};

/// What some calls came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Calls that were answered.
    pub calls: u64,
    /// Those of them whose tokens the provider did not count: usage and cost
    /// are too low by what they came to.
    pub uncounted: u64,
    pub usage: Usage,
    /// `None` where the model's price is unknown.
    pub cost: Option<MicroDollars>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    calls: u64,
    uncounted: u64,
    usage: Usage,
}

/// Counts what the model behind it was asked for and answered.
pub struct Meter {
    inner: Arc<dyn ChatModel>,
    price: Option<Price>,
    stages: Mutex<BTreeMap<Stage, Count>>,
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
        self.priced(stages.get(&stage).copied().unwrap_or_default())
    }

    /// What all stages came to so far.
    pub fn total(&self) -> Total {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = stages.values().fold(Count::default(), |sum, count| Count {
            calls: sum.calls + count.calls,
            uncounted: sum.uncounted + count.uncounted,
            usage: sum.usage + count.usage,
        });
        self.priced(sum)
    }

    fn priced(&self, count: Count) -> Total {
        Total {
            calls: count.calls,
            uncounted: count.uncounted,
            usage: count.usage,
            cost: self.price.map(|price| price.cost(count.usage)),
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
        let count = stages.entry(request.position.stage).or_default();
        count.calls += 1;
        count.uncounted += u64::from(response.usage == Usage::default());
        count.usage += response.usage;
        drop(stages);
        Ok(response)
    }
}
