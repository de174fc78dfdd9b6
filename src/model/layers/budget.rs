//! A layer that makes no call which could not be paid for.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::domain::usage::Usage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};
use crate::model::layers::spend_account::{Reservation, SpendAccount};

/// Completion tokens that a call could take where the request sets no bound.
pub const OUTPUT: u32 = 16_000;

/// A model that is asked within a spend account, inside the retry layer: an attempt that gave no answer may have to be
/// paid for, so that the next one has to fit again.
pub struct Budgeted {
    inner: Arc<dyn ChatModel>,
    account: Arc<SpendAccount>,
}

impl Budgeted {
    /// `inner` within `account`.
    pub fn new(inner: Arc<dyn ChatModel>, account: Arc<SpendAccount>) -> Self {
        Self { inner, account }
    }
}

/// The bytes of a request's texts, calls and tools.
pub fn bytes(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } => text.len(),
        // Even at four bytes a token one for 600 pixels, which is more than any provider counts.
        Message::Pictured { text, picture } => {
            let pixels = u64::from(picture.width) * u64::from(picture.height);
            text.len() + usize::try_from(pixels / 150).unwrap_or(usize::MAX / 2)
        }
        Message::Assistant {
            text,
            calls,
            thoughts,
        } => {
            let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
            let thoughts = thoughts.as_ref().map_or(0, |thoughts| thoughts.bytes());
            text.len() + calls.sum::<usize>() + thoughts
        }
        Message::Tool { text, .. } => text.len(),
    });
    let tools = request.tools.iter().map(|tool| {
        let schema = tool.parameters.to_string();
        tool.name.len() + tool.description.len() + schema.len()
    });
    messages.chain(tools).sum::<usize>() as u64
}

/// Whether a request holds text alone, so that what is counted for it tells how
/// many tokens text has.
pub fn is_text(request: &ChatRequest) -> bool {
    let pictured = |message: &Message| matches!(message, Message::Pictured { .. });
    !request.messages.iter().any(pictured)
}

#[async_trait]
impl ChatModel for Budgeted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    fn origin(&self) -> Option<&str> {
        self.inner.origin()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        if !self.account.is_capped() {
            return self.inner.chat(request).await;
        }
        let stage = request.position.stage;
        let bytes = bytes(request);
        let planned = request.max_output_tokens.unwrap_or(OUTPUT);
        let allowance = self
            .account
            .reserve(
                stage,
                self.account.prompt(self.name(), stage, bytes),
                u64::from(planned),
            )
            .map_err(ModelError::Spent)?;
        let output = u32::try_from(allowance.output).unwrap_or(planned).min(planned);
        // Whoever stops waiting for the answer gives back what was set aside.
        let aside = ReservedCall::new(&self.account, allowance);
        let response = if output < planned {
            let mut request = request.clone();
            request.max_output_tokens = Some(output);
            self.inner.chat(&request).await?
        } else {
            self.inner.chat(request).await?
        };
        aside.settle(response.usage);
        // An estimate of the prompt teaches nothing.
        if is_text(request) && response.usage.input > response.usage.estimated {
            self.account.counted(self.name(), stage, bytes, response.usage);
        }
        Ok(response)
    }
}

/// The reservation of a call, until it is over.
pub(super) struct ReservedCall<'a> {
    account: &'a SpendAccount,
    allowance: Option<Reservation>,
}

impl<'a> ReservedCall<'a> {
    /// Gives back all of it where it is not settled.
    pub fn new(account: &'a SpendAccount, allowance: Reservation) -> Self {
        Self {
            account,
            allowance: Some(allowance),
        }
    }

    /// Takes what the call came to in its place.
    pub fn settle(mut self, usage: Usage) {
        if let Some(allowance) = self.allowance.take() {
            self.account.settle(allowance, Some(usage));
        }
    }
}

impl Drop for ReservedCall<'_> {
    fn drop(&mut self) {
        if let Some(allowance) = self.allowance.take() {
            self.account.settle(allowance, None);
        }
    }
}
