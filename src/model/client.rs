//! The one client behind every dialect.

use std::sync::Arc;

use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_trait::async_trait;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::clock::Clock;
use crate::domain::conversation::ChatResponse;
use crate::model::attempt::AttemptFault;
use crate::model::chat::{ChatModel, ChatRequest, ModelError};
use crate::model::dialect::Dialect;
use crate::model::exchange::{Exchange, Streaming};
use crate::model::http::chain;
use crate::model::layers::timer::Timer;
use crate::model::progress::OnProgress;
use crate::model::transport::Transport;

/// A model that is asked in a dialect. One call is one attempt.
pub struct Client {
    dialect: Arc<dyn Dialect>,
    exchange: Exchange,
    /// Answers are streamed where somebody watches.
    on_progress: Option<OnProgress>,
}

/// The configuration of `async-openai` that posts to the dialect's own address, whatever it asks for.
#[derive(Clone)]
struct PostedTo {
    dialect: Arc<dyn Dialect>,
    /// Empty: the key is in the dialect's headers, marked as sensitive.
    key: SecretString,
}

impl Config for PostedTo {
    fn headers(&self) -> HeaderMap {
        self.dialect.contact().headers.clone()
    }

    fn url(&self, _path: &str) -> String {
        self.dialect.contact().address.to_string()
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        self.dialect.contact().address.as_str()
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
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

    /// A client for one call: cheap, since connections are shared.
    fn transport(&self, request: &ChatRequest) -> async_openai::Client<PostedTo> {
        let streaming = self.on_progress.clone().map(|on_progress| Streaming {
            position: request.position,
            dialect: self.dialect.clone(),
            on_progress,
        });
        let posted = PostedTo {
            dialect: self.dialect.clone(),
            key: SecretString::from(""),
        };
        async_openai::Client::build(self.exchange.http.clone(), posted).with_http_service(Transport {
            exchange: self.exchange.clone(),
            streaming,
        })
    }

    async fn asked(&self, request: &ChatRequest) -> Result<ChatResponse, ModelError> {
        let body = self
            .dialect
            .body(request, self.on_progress.is_some())
            .and_then(RawValue::from_string)
            .map_err(|error| {
                ModelError::Misconfigured(format!(
                    "The request to {} cannot be made: {}.",
                    self.dialect.contact().address,
                    chain(&error)
                ))
            })?;
        // What the library calls a chat completion is whatever the dialect posts.
        let document: Value = self
            .transport(request)
            .chat()
            .create_byot(body)
            .await
            .map_err(|error| self.error(error))?;
        self.dialect.read(request, &document)
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
