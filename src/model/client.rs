//! The one client behind every dialect.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::attempt::AttemptFault;
use crate::model::broken_off::{AttemptWatch, BrokenOff};
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::dialect::Dialect;
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::chain;
use crate::model::layers::timer::Timer;
use crate::model::progress::OnProgress;
use crate::model::signs_of_life::SignsOfLife;

/// Takes attempts that gave no answer, although the provider may have worked on them.
pub type OnBrokenOff = Arc<dyn Fn(&ChatRequest, BrokenOff) + Send + Sync>;

/// A model that is asked in a dialect. One call is one attempt.
pub struct Client {
    dialect: Arc<dyn Dialect>,
    exchange: Exchange,
    /// Answers are streamed where somebody watches.
    on_progress: Option<OnProgress>,
    on_broken_off: Option<OnBrokenOff>,
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
            on_broken_off: None,
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

    /// Hears the signs of life that its server shows to others as well.
    #[must_use]
    pub fn hearing(mut self, signs: SignsOfLife) -> Self {
        self.exchange.signs = signs;
        self
    }

    /// The same model with attempts reported that gave no answer.
    pub fn reporting(mut self, on_broken_off: Option<OnBrokenOff>) -> Self {
        self.on_broken_off = on_broken_off;
        self
    }

    async fn asked(
        &self,
        request: &ChatRequest,
        watch: &mut AttemptWatch<'_>,
    ) -> Result<ChatResponse, ModelError> {
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
        let answer = self.exchange.send(posted, streaming.as_ref(), watch).await?;
        let document: Value = serde_json::from_slice(&answer)
            .map_err(|error| self.exchange.failed(AttemptFault::Malformed, chain(&error)))?;
        let response = self.dialect.read(request, &document)?;
        watch.over();
        Ok(response)
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
        let report = |broken_off| {
            if let Some(on_broken_off) = &self.on_broken_off {
                on_broken_off(request, broken_off);
            }
        };
        let mut watch = AttemptWatch::new(&report);
        match self.asked(request, &mut watch).await {
            Ok(response) => Ok(masking.response(response)),
            Err(error) => Err(masking.error(error)),
        }
    }
}
