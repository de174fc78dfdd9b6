//! The model behind the Messages interface.

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderValue};

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::domain::sampling::Sampling;
use crate::model::anthropic::answer;
use crate::model::anthropic::assembly::StreamedMessage;
use crate::model::anthropic::request::Body;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Endpoint, Exchange, JsonPost};
use crate::model::key::no_key;
use crate::model::layers::timer::Timer;
use crate::model::progress::OnProgress;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// What makes one model.
#[derive(Debug, Clone)]
pub struct AnthropicSettings {
    /// The full name, such as `anthropic/claude-sonnet-4-5`.
    pub name: String,
    /// The address without `/messages`, and the key, which is needed.
    pub reach: Endpoint,
    /// The model as the provider knows it.
    pub model: String,
    pub sampling: Sampling,
    /// Most tokens of an answer where a request sets no bound; the interface
    /// insists on one.
    pub default_output: u32,
    /// Whether the model can be held to a schema.
    pub keeps_forms: bool,
    /// Whether an effort is a budget of tokens to think within.
    pub thinks_within: bool,
}

/// A model that is asked through the Messages interface. One call is one attempt.
pub struct Anthropic {
    settings: AnthropicSettings,
    post: JsonPost,
}

impl Anthropic {
    /// A model from its settings; fails where they are unusable.
    pub fn new(settings: AnthropicSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let reach = &settings.reach;
        let key = reach.key.as_ref().ok_or_else(|| no_key(reach.provider))?;
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.header("", reach.provider)?);
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        let post = JsonPost {
            exchange: Exchange::new(reach, clock)?,
            address: format!("{}/messages", reach.base.as_str().trim_end_matches('/')),
            headers,
            assembly: StreamedMessage::boxed,
            on_progress: None,
        };
        Ok(Self { settings, post })
    }

    /// The same model with its attempts timed by something else than real time.
    pub fn timed(mut self, timer: Arc<dyn Timer>) -> Self {
        self.post.exchange.timer = timer;
        self
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(mut self, on_progress: OnProgress) -> Self {
        self.post.on_progress = Some(on_progress);
        self
    }
}

#[async_trait]
impl ChatModel for Anthropic {
    fn name(&self) -> &str {
        &self.settings.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let body = Body {
            model: &self.settings.model,
            default_output: self.settings.default_output,
            sampling: &self.settings.sampling,
            streamed: self.post.on_progress.is_some(),
            keeps_forms: self.settings.keeps_forms,
            thinks_within: self.settings.thinks_within,
            request,
        };
        let document = self.post.ask(request.position, &body).await?;
        answer::read(self.settings.reach.provider.prefix(), request, &document)
    }
}
