//! The model behind a chat completions interface.

use std::sync::Arc;

use async_openai::Client;
use async_openai::config::Config as _;
use async_openai::error::OpenAIError;
use async_trait::async_trait;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::{ChatResponse, Position};
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, JsonPost};
use crate::model::http::chain;
use crate::model::layers::timer::Timer;
use crate::model::openai::answer;
use crate::model::openai::assembly::Completion;
use crate::model::openai::endpoint::OpenAiEndpoint;
use crate::model::openai::request::Body;
use crate::model::openai::settings::OpenAiSettings;
use crate::model::openai::transport::Transport;
use crate::model::progress::OnProgress;

/// A model that is asked through chat completions. One call is one attempt.
pub struct OpenAi {
    settings: OpenAiSettings,
    endpoint: OpenAiEndpoint,
    post: JsonPost,
}

impl OpenAi {
    /// A model from its settings; fails where they are unusable.
    pub fn new(settings: OpenAiSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let endpoint = OpenAiEndpoint::new(&settings)?;
        let post = JsonPost {
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
    pub fn timed(mut self, timer: Arc<dyn Timer>) -> Self {
        self.post.exchange.timer = timer;
        self
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(mut self, on_progress: OnProgress) -> Self {
        self.post.on_progress = Some(on_progress);
        self
    }

    /// A client for one call: cheap, since connections are shared.
    fn client(&self, position: Position) -> Client<OpenAiEndpoint> {
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
