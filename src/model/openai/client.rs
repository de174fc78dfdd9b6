//! The model behind a chat completions interface.

use std::sync::Arc;

use async_openai::Client;
use async_openai::error::OpenAIError;
use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::http::{self, Budget, chain};
use crate::model::key::Key;
use crate::model::name::Provider;
use crate::model::openai::answer;
use crate::model::openai::endpoint::Endpoint;
use crate::model::openai::request::{Body, Sampling};
use crate::model::openai::transport::Transport;

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
    client: Client<Endpoint>,
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
        let http = http::client(&settings.base, &settings.budget)?;
        let transport = Transport {
            provider: settings.provider.prefix().into(),
            http: http.clone(),
            clock,
            budget: settings.budget,
            key: settings.key.clone(),
        };
        Ok(Self {
            client: Client::build(http, endpoint).with_http_service(transport),
            settings,
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
        ModelError::from(Box::new(FailedAttempt {
            provider: self.settings.provider.prefix().to_owned(),
            fault: AttemptFault::Malformed,
            retry_after: None,
            message: chain(&error),
        }))
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
            streamed: false,
            request,
        };
        let document: Value = self
            .client
            .chat()
            .create_byot(body)
            .await
            .map_err(|error| self.error(error))?;
        answer::read(self.settings.provider.prefix(), request, &document)
    }
}
