//! A layer that estimates the tokens which a provider does not count, so that caps hold
//! there too.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::counted_usage::{believed, completed};
use crate::model::layers::budget::{bytes, is_text};
use crate::model::layers::spend_account::SpendAccount;

/// A model whose answers all come with tokens: those that were counted, or estimates that
/// say so. What a model thinks unseen is in no estimate.
pub struct EstimatedUsage {
    inner: Arc<dyn ChatModel>,
    account: Arc<SpendAccount>,
}

impl EstimatedUsage {
    /// `inner`, with estimates as `account` makes them for what it sets aside.
    pub fn new(inner: Arc<dyn ChatModel>, account: Arc<SpendAccount>) -> Self {
        Self { inner, account }
    }
}

/// The bytes of an answer's text, calls and thoughts.
fn answered(response: &ChatResponse) -> u64 {
    let calls = response.calls.iter();
    let calls: usize = calls.map(|call| call.name.len() + call.arguments.len()).sum();
    let thoughts = response.thoughts.as_ref().map_or(0, |thoughts| thoughts.bytes());
    (response.text.len() + calls + thoughts) as u64
}

#[async_trait]
impl ChatModel for EstimatedUsage {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let mut response = self.inner.chat(request).await?;
        let (name, stage) = (self.name(), request.position.stage);
        let prompt = self.account.prompt(name, stage, bytes(request));
        // Providers differ by a hundred times in what a picture counts.
        let counted = match is_text(request) {
            true => believed(response.usage, prompt),
            false => response.usage,
        };
        response.usage = completed(counted, prompt, self.account.text(name, answered(&response)));
        Ok(response)
    }
}
