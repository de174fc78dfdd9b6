//! The model behind the Messages interface.

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::anthropic::answer;
use crate::model::anthropic::assembly::StreamedMessage;
use crate::model::anthropic::request::Body;
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::{self, Budget, chain};
use crate::model::key::Key;
use crate::model::name::Provider;
use crate::model::progress::OnProgress;

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// What makes one model.
#[derive(Debug, Clone)]
pub struct AnthropicSettings {
    /// The full name, such as `anthropic/claude-sonnet-4-5`.
    pub name: String,
    /// The address without `/messages`.
    pub base: Url,
    pub key: Key,
    /// The model as the provider knows it.
    pub model: String,
    pub temperature: Option<f64>,
    /// Most tokens of an answer where a request sets no bound; the interface
    /// insists on one.
    pub default_output: u32,
    pub budget: Budget,
}

/// A model that is asked through the Messages interface. One call is one attempt.
pub struct Anthropic {
    settings: AnthropicSettings,
    address: String,
    headers: HeaderMap,
    exchange: Exchange,
    on_progress: Option<OnProgress>,
}

impl Anthropic {
    /// A model from its settings; fails where they are unusable.
    pub fn new(settings: AnthropicSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        let mut key = HeaderValue::from_str(settings.key.expose()).map_err(|_| {
            ModelError::Misconfigured(
                "The key for anthropic cannot be sent in a header. Check where it comes from.".to_owned(),
            )
        })?;
        key.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key);
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let exchange = Exchange {
            provider: Provider::Anthropic.prefix().into(),
            http: http::client(&settings.base, &settings.budget)?,
            clock,
            budget: settings.budget,
            key: Some(settings.key.clone()),
        };
        Ok(Self {
            address: format!("{}/messages", settings.base.as_str().trim_end_matches('/')),
            headers,
            exchange,
            settings,
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

    fn request(&self, request: &ChatRequest) -> Result<reqwest::Request, ModelError> {
        let body = Body {
            model: &self.settings.model,
            default_output: self.settings.default_output,
            temperature: self.settings.temperature,
            streamed: self.on_progress.is_some(),
            request,
        };
        let unusable = |error: &(dyn std::error::Error + 'static)| {
            ModelError::Misconfigured(format!(
                "The request to {} cannot be made: {}.",
                self.settings.base,
                chain(error)
            ))
        };
        let text = serde_json::to_vec(&body).map_err(|error| unusable(&error))?;
        self.exchange
            .http
            .post(&self.address)
            .headers(self.headers.clone())
            .body(text)
            .build()
            .map_err(|error| unusable(&error))
    }
}

#[async_trait]
impl ChatModel for Anthropic {
    fn name(&self) -> &str {
        &self.settings.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let streaming = self.on_progress.as_ref().map(|on_progress| Streaming {
            position: request.position,
            assembly: StreamedMessage::boxed,
            on_progress: Arc::clone(on_progress),
        });
        let body = self
            .exchange
            .send(self.request(request)?, streaming.as_ref())
            .await?;
        let document: Value = serde_json::from_slice(&body).map_err(|error| {
            self.exchange.failed(
                AttemptFault::Malformed,
                format!("the answer is not JSON: {error}"),
            )
        })?;
        answer::read(Provider::Anthropic.prefix(), request, &document)
    }
}
