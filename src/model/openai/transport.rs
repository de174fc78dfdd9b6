//! The way of one request to the provider and of its answer back.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures::future::BoxFuture;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use crate::domain::clock::Clock;
use crate::model::attempt::{AttemptFault, FailedAttempt};
use crate::model::chat::ModelError;
use crate::model::http::{Budget, chain, excerpt, retry_after};
use crate::model::key::Key;
use crate::model::openai::refusal;

/// Sends a request once, within its budget, and reads the whole answer.
///
/// What comes out is an answer with status 200 and a JSON body, or an error
/// boxed as [`ModelError`]; the key is masked wherever the answer echoes it.
#[derive(Clone)]
pub struct Transport {
    pub provider: Arc<str>,
    pub http: reqwest::Client,
    pub clock: Arc<dyn Clock>,
    pub budget: Budget,
    pub key: Option<Key>,
}

impl tower::Service<HttpRequestFactory> for Transport {
    type Response = Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<Response, OpenAIError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let transport = self.clone();
        Box::pin(async move {
            let request = factory.build().await?;
            let body = transport
                .within(transport.exchange(request))
                .await
                .map_err(|error| OpenAIError::Boxed(Box::new(error)))?;
            let answer = http::Response::builder()
                .header(CONTENT_TYPE, "application/json")
                .body(body)
                .map_err(|error| OpenAIError::Boxed(Box::new(error)))?;
            Ok(Response::from(answer))
        })
    }
}

impl Transport {
    async fn within<T>(
        &self,
        exchange: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        timeout(self.budget.total, exchange).await.unwrap_or_else(|_| {
            Err(self.failed(
                AttemptFault::TimedOut,
                format!(
                    "the answer was not complete after {} s",
                    seconds(self.budget.total)
                ),
            ))
        })
    }

    async fn exchange(&self, request: reqwest::Request) -> Result<Vec<u8>, ModelError> {
        let response = self
            .http
            .execute(request)
            .await
            .map_err(|error| self.broken(&error))?;
        let status = response.status();
        let wait = retry_after(response.headers(), self.clock.now());
        let body = self.body(response).await?;
        if !status.is_success() {
            return Err(refusal::of_status(&self.provider, status.as_u16(), &body, wait));
        }
        if let Err(error) = serde_json::from_slice::<IgnoredAny>(&body) {
            let said = if body.is_empty() {
                "an empty answer".to_owned()
            } else {
                format!("an answer that is not JSON ({error}): {}", excerpt(&body))
            };
            return Err(self.failed(AttemptFault::Malformed, said));
        }
        Ok(body)
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        loop {
            let chunk = timeout(self.budget.stall, response.chunk())
                .await
                .map_err(|_| {
                    self.failed(
                        AttemptFault::TimedOut,
                        format!("the answer stood still for {} s", seconds(self.budget.stall)),
                    )
                })?
                .map_err(|error| self.broken(&error))?;
            let Some(chunk) = chunk else { break };
            if body.len() + chunk.len() > self.budget.bytes {
                return Err(self.failed(
                    AttemptFault::Malformed,
                    format!("the answer is larger than {} bytes", self.budget.bytes),
                ));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(match &self.key {
            Some(key) => key.mask(body),
            None => body,
        })
    }

    fn broken(&self, error: &reqwest::Error) -> ModelError {
        let fault = if error.is_timeout() {
            AttemptFault::TimedOut
        } else {
            AttemptFault::Connection
        };
        self.failed(fault, format!("the connection failed: {}", chain(error)))
    }

    fn failed(&self, fault: AttemptFault, message: String) -> ModelError {
        ModelError::from(Box::new(FailedAttempt {
            provider: self.provider.to_string(),
            fault,
            retry_after: None,
            message,
        }))
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}
