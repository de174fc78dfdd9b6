//! The model behind a chat completions interface.

use std::sync::Arc;

use async_openai::Client;
use async_openai::error::OpenAIError;
use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::{ChatResponse, Position};
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::{self, Budget, chain};
use crate::model::key::Key;
use crate::model::name::Provider;
use crate::model::openai::answer;
use crate::model::openai::assembly::Completion;
use crate::model::openai::endpoint::Endpoint;
use crate::model::openai::request::{Body, Sampling};
use crate::model::openai::transport::Transport;
use crate::model::progress::OnProgress;

/// What makes one model of one provider.
#[derive(Debug, Clone)]
pub struct OpenAiSettings {
    /// The full name, such as `openai/gpt-5`.
    pub name: String,
    pub provider: Provider,
    /// The address without `/chat/completions`.
    pub base: Url,
    pub key: Option<Key>,
    /// The model (or Azure deployment) as the provider knows it.
    pub model: String,
    pub sampling: Sampling,
    pub budget: Budget,
    /// Whether the model takes native tool calls.
    pub calls_tools: bool,
}

/// A model that is asked through chat completions. One call is one attempt.
pub struct OpenAi {
    settings: OpenAiSettings,
    endpoint: Endpoint,
    exchange: Exchange,
    on_progress: Option<OnProgress>,
}

impl OpenAi {
    /// A model from its settings; fails where they are unusable.
    pub fn new(settings: OpenAiSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let endpoint = Endpoint::new(
            settings.provider,
            &settings.base,
            settings.key.as_ref(),
            &settings.model,
        )?;
        let exchange = Exchange {
            provider: settings.provider.prefix().into(),
            http: http::client(&settings.base, &settings.budget)?,
            clock,
            budget: settings.budget,
            key: settings.key.clone(),
        };
        Ok(Self {
            settings,
            endpoint,
            exchange,
            on_progress: None,
        })
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(self, on_progress: OnProgress) -> Self {
        Self {
            on_progress: Some(on_progress),
            ..self
        }
    }

    /// A client for one call: cheap, since connections are shared.
    fn client(&self, position: Position) -> Client<Endpoint> {
        let streaming = self.on_progress.as_ref().map(|on_progress| Streaming {
            position,
            assembly: Completion::boxed,
            on_progress: Arc::clone(on_progress),
        });
        Client::build(self.exchange.http.clone(), self.endpoint.clone()).with_http_service(Transport {
            exchange: self.exchange.clone(),
            streaming,
        })
    }

    fn error(&self, error: OpenAIError) -> ModelError {
        let error = match error {
            OpenAIError::Boxed(boxed) => match boxed.downcast::<ModelError>() {
                Ok(ours) => return *ours,
                Err(other) => OpenAIError::Boxed(other),
            },
            other => other,
        };
        self.exchange.failed(AttemptFault::Malformed, chain(&error))
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
            provider: self.settings.provider,
            model: &self.settings.model,
            sampling: &self.settings.sampling,
            streamed: self.on_progress.is_some(),
            request,
        };
        let document: Value = self
            .client(request.position)
            .chat()
            .create_byot(body)
            .await
            .map_err(|error| self.error(error))?;
        answer::read(self.settings.provider.prefix(), request, &document)
    }
}
