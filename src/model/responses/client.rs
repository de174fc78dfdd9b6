//! The model behind the Responses interface.

use std::sync::Arc;

use async_openai::config::Config as _;
use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::{self, chain};
use crate::model::name::Provider;
use crate::model::openai::client::OpenAiSettings;
use crate::model::openai::endpoint::Endpoint;
use crate::model::progress::OnProgress;
use crate::model::responses::answer;
use crate::model::responses::assembly::StreamedResponse;
use crate::model::responses::request::Body;

/// A model that is asked through responses. One call is one attempt.
pub struct Responses {
    settings: OpenAiSettings,
    endpoint: Endpoint,
    exchange: Exchange,
    on_progress: Option<OnProgress>,
}

impl Responses {
    /// A model from the settings that chat completions take as well; fails
    /// where they are unusable, and for Azure, which has other addresses.
    pub fn new(settings: OpenAiSettings, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        if settings.provider == Provider::Azure {
            return Err(ModelError::Misconfigured(format!(
                "`{}` cannot be asked through the Responses interface. Take `responses` out of the table of models for it.",
                settings.name
            )));
        }
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

    fn request(&self, request: &ChatRequest) -> Result<reqwest::Request, ModelError> {
        let body = Body {
            provider: self.settings.provider,
            model: &self.settings.model,
            sampling: &self.settings.sampling,
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
        let mut headers = self.endpoint.headers();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.exchange
            .http
            .post(self.endpoint.url("/responses"))
            .headers(headers)
            .body(text)
            .build()
            .map_err(|error| unusable(&error))
    }
}

#[async_trait]
impl ChatModel for Responses {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn calls_tools(&self) -> bool {
        self.settings.calls_tools
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let streaming = self.on_progress.as_ref().map(|on_progress| Streaming {
            position: request.position,
            assembly: StreamedResponse::boxed,
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
        answer::read(self.settings.provider.prefix(), request, &document)
    }
}
