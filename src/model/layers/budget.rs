//! A layer that makes no call which could not be paid for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::domain::conversation::ChatResponse;
use crate::domain::stage::Stage;
use crate::model::chat::{ChatModel, ChatRequest, Message, ModelError};
use crate::model::layers::purse::{Allowance, Purse};

/// Completion tokens that a call could take where the request sets no bound.
const OUTPUT: u32 = 16_000;

/// A model that is asked within a purse. It stands outside the retry layer: a
/// call is paid for once, however many attempts it takes.
pub struct Budgeted {
    inner: Arc<dyn ChatModel>,
    purse: Arc<Purse>,
    seen: Mutex<BTreeMap<Stage, Seen>>,
}

/// A request that was answered: its size, and what its provider counted.
#[derive(Debug, Clone, Copy)]
struct Seen {
    bytes: u64,
    tokens: u64,
}

impl Budgeted {
    /// `inner` within `purse`.
    pub fn new(inner: Arc<dyn ChatModel>, purse: Arc<Purse>) -> Self {
        Self {
            inner,
            purse,
            seen: Mutex::default(),
        }
    }

    /// The prompt tokens of a request, rather too many than too few: what the
    /// provider counted for the request before, and a token for every two bytes
    /// that were added. English text and code have three to four bytes a token.
    fn prompt(&self, stage: Stage, bytes: u64) -> u64 {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get(&stage) {
            Some(seen) if seen.bytes <= bytes => seen.tokens.saturating_add((bytes - seen.bytes).div_ceil(2)),
            _ => bytes.div_ceil(2),
        }
    }
}

/// The bytes of a request's texts, calls and tools.
pub fn bytes(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } => text.len(),
        // A token for 500 pixels is more than any provider counts.
        Message::Pictured { text, picture } => {
            let pixels = u64::from(picture.width) * u64::from(picture.height);
            text.len() + usize::try_from(pixels / 250).unwrap_or(usize::MAX / 2)
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

#[async_trait]
impl ChatModel for Budgeted {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn calls_tools(&self) -> bool {
        self.inner.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        if !self.purse.is_capped() {
            return self.inner.chat(request).await;
        }
        let stage = request.position.stage;
        let bytes = bytes(request);
        let planned = request.max_output_tokens.unwrap_or(OUTPUT);
        let allowance = self
            .purse
            .reserve(stage, self.prompt(stage, bytes), u64::from(planned))
            .map_err(ModelError::Spent)?;
        let output = u32::try_from(allowance.output).unwrap_or(planned).min(planned);
        // Whoever stops waiting for the answer gives back what was set aside.
        let mut aside = Aside {
            purse: &self.purse,
            allowance: Some(allowance),
        };
        let response = if output < planned {
            let mut request = request.clone();
            request.max_output_tokens = Some(output);
            self.inner.chat(&request).await?
        } else {
            self.inner.chat(request).await?
        };
        if let Some(allowance) = aside.allowance.take() {
            self.purse.settle(allowance, Some(response.usage));
        }
        let seen = Seen {
            bytes,
            tokens: response.usage.input,
        };
        // A provider that counts nothing says nothing of the next prompt.
        if seen.tokens > 0 {
            let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(stage, seen);
        }
        Ok(response)
    }
}

/// What is set aside until the call is over.
struct Aside<'a> {
    purse: &'a Purse,
    allowance: Option<Allowance>,
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        if let Some(allowance) = self.allowance.take() {
            self.purse.settle(allowance, None);
        }
    }
}
