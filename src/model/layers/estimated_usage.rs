//! A layer that estimates the tokens which a provider does not count, so that caps hold
//! there too.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::domain::usage::Usage;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::layers::budget::bytes;
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

/// Tokens of a call for which a provider counted `counted`, with an estimate for each side
/// that it did not count. Nobody asks with no token, nor says something with none.
pub fn completed(counted: Usage, input: u64, output: u64) -> Usage {
    let mut usage = counted;
    if usage.input == 0 {
        usage.input = input;
        usage.cached = 0;
        usage.estimated = usage.estimated.saturating_add(input);
    }
    if usage.output == 0 {
        usage.output = output;
        usage.estimated = usage.estimated.saturating_add(output);
    }
    usage
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
        response.usage = completed(
            response.usage,
            self.account.prompt(name, stage, bytes(request)),
            self.account.text(name, answered(&response)),
        );
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_that_was_not_counted_is_estimated_and_marked() {
        let usage = |input, output, estimated| Usage {
            input,
            output,
            estimated,
            ..Usage::default()
        };
        assert_eq!(completed(usage(5, 7, 0), 100, 10), usage(5, 7, 0));
        assert_eq!(completed(usage(0, 7, 0), 100, 10), usage(100, 7, 100));
        assert_eq!(completed(usage(5, 0, 0), 100, 10), usage(5, 10, 10));
        assert_eq!(completed(usage(0, 0, 0), 100, 0), usage(100, 0, 100));
        let cached = Usage {
            cached: 3,
            ..usage(0, 7, 0)
        };
        assert_eq!(completed(cached, 100, 10).cached, 0, "a part of nothing");
    }
}
