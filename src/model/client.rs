//! The one client behind every dialect.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::dialect::Dialect;
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::chain;
use crate::model::layers::timer::Timer;
use crate::model::progress::OnProgress;

/// A model that is asked in a dialect. One call is one attempt.
pub struct Client {
    dialect: Arc<dyn Dialect>,
    exchange: Exchange,
    /// Answers are streamed where somebody watches.
    on_progress: Option<OnProgress>,
}

impl Client {
    /// A model that speaks `dialect`.
    ///
    /// # Errors
    /// An address that cannot be asked, or certificates of the system that cannot be read.
    pub fn new(dialect: Box<dyn Dialect>, clock: Arc<dyn Clock>) -> Result<Self, ModelError> {
        Ok(Self {
            exchange: Exchange::new(&dialect.contact().connection.endpoint, clock)?,
            dialect: Arc::from(dialect),
            on_progress: None,
        })
    }

    /// The same model with its attempts timed by something else than real time.
    pub fn timed(mut self, timer: Arc<dyn Timer>) -> Self {
        self.exchange.timer = timer;
        self
    }

    /// The same model with its answers streamed, and watched as they arrive.
    pub fn streaming(mut self, on_progress: OnProgress) -> Self {
        self.on_progress = Some(on_progress);
        self
    }

    async fn asked(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let contact = self.dialect.contact();
        let posted = self
            .dialect
            .body(request, self.on_progress.is_some())
            .map_err(|error| self.not_made(&error))
            .and_then(|body| {
                self.exchange
                    .http
                    .post(contact.address.clone())
                    .header(CONTENT_TYPE, "application/json")
                    .headers(contact.headers.clone())
                    .body(body)
                    .build()
                    .map_err(|error| self.not_made(&error))
            })?;
        let streaming = self.on_progress.clone().map(|on_progress| Streaming {
            position: request.position,
            dialect: self.dialect.clone(),
            on_progress,
        });
        let answer = self.exchange.send(posted, streaming.as_ref()).await?;
        let document: Value = serde_json::from_slice(&answer)
            .map_err(|error| self.exchange.failed(AttemptFault::Malformed, chain(&error)))?;
        self.dialect.read(request, &document)
    }

    fn not_made(&self, error: &(dyn Error + 'static)) -> ModelError {
        ModelError::Misconfigured(format!(
            "The request to {} cannot be made: {}.",
            self.dialect.contact().address,
            chain(error)
        ))
    }
}

#[async_trait]
impl ChatModel for Client {
    fn name(&self) -> &str {
        &self.dialect.contact().connection.name
    }

    fn calls_tools(&self) -> bool {
        self.dialect.contact().connection.calls_tools()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        // Decoding and joining can spell out a key that no part of the answer held as it is.
        let masking = self.exchange.masking();
        match self.asked(request).await {
            Ok(response) => Ok(masking.response(response)),
            Err(error) => Err(masking.error(error)),
        }
    }
}
