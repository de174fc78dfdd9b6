//! The model behind a chat completions interface.

use std::sync::Arc;

use async_openai::Client;
use async_openai::config::Config as _;
use async_openai::error::OpenAIError;
use async_trait::async_trait;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::{ChatResponse, Position};
use crate::domain::sampling::Sampling;
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, Post, Reach};
use crate::model::http::chain;
use crate::model::layers::patience::Patience;
use crate::model::openai::answer;
use crate::model::openai::assembly::Completion;
use crate::model::openai::endpoint::Endpoint;
use crate::model::openai::request::Body;
use crate::model::openai::transport::Transport;
use crate::model::progress::OnProgress;

/// What makes one model of one provider.
#[derive(Debug, Clone)]
pub struct OpenAiSettings {
    /// The full name, such as `openai/gpt-5`.
    pub name: String,
    /// The address without `/chat/completions`.
    pub reach: Reach,
    /// The version of Azure's interface, where it is not the one this was written for.
    pub api_version: Option<String>,
    /// The model (or Azure deployment) as the provider knows it.
    pub model: String,
    pub sampling: Sampling,
    /// Whether the model takes native tool calls.
    pub calls_tools: bool,
    /// Whether the model can be held to a schema.
    pub keeps_forms: bool,
    /// Whether the model gives its thoughts, encrypted, to be sent back; only the
    /// Responses interface does.
    pub gives_thoughts: bool,
}

/// A model that is asked through chat completions. One call is one attempt.
pub struct OpenAi {
    settings: OpenAiSettings,
    endpoint: Endpoint,
    post: Post,
}

impl OpenAi {
    /// A model from its settings; fails where they are unusable.
    pub fn new(settings: OpenAiSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let endpoint = Endpoint::new(&settings)?;
        let post = Post {
            exchange: Exchange::new(&settings.reach, clock)?,
            address: endpoint.url("/chat/completions"),
            headers: endpoint.headers(),
            assembly: Completion::boxed,
            on_progress: None,
        };
        Ok(Self {
            settings,
            endpoint,
            post,
        })
    }

    /// The same model with its attempts timed by something else than real time.
    pub fn timed(mut self, patience: Arc<dyn Patience>) -> Self {
        self.post.exchange.patience = patience;
        self
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(mut self, on_progress: OnProgress) -> Self {
        self.post.on_progress = Some(on_progress);
        self
    }

    /// A client for one call: cheap, since connections are shared.
    fn client(&self, position: Position) -> Client<Endpoint> {
        let transport = Transport {
            exchange: self.post.exchange.clone(),
            streaming: self.post.streaming(position),
        };
        Client::build(self.post.exchange.http.clone(), self.endpoint.clone()).with_http_service(transport)
    }

    fn error(&self, error: OpenAIError) -> ModelError {
        let error = match error {
            OpenAIError::Boxed(boxed) => match boxed.downcast::<ModelError>() {
                Ok(ours) => return *ours,
                Err(other) => OpenAIError::Boxed(other),
            },
            other => other,
        };
        self.post.exchange.failed(AttemptFault::Malformed, chain(&error))
    }
}

#[async_trait]
impl ChatModel for OpenAi {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn calls_tools(&self) -> bool {
        self.settings.calls_tools
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let body = Body {
            provider: self.settings.reach.provider,
            model: &self.settings.model,
            sampling: &self.settings.sampling,
            streamed: self.post.on_progress.is_some(),
            keeps_forms: self.settings.keeps_forms,
            request,
        };
        let document: Value = self
            .client(request.position)
            .chat()
            .create_byot(body)
            .await
            .map_err(|error| self.error(error))?;
        answer::read(self.settings.reach.provider.prefix(), request, &document)
    }
}
