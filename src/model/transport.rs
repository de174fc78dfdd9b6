//! The transport below `async-openai`: our own exchange, as a tower service. It holds
//! the time budget and the size cap, keeps status and body of an error, and never
//! retries.

use std::task::{Context, Poll};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use futures::future::BoxFuture;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;

use crate::model::exchange::{Exchange, Streaming};

/// Performs a request once. What comes out is an answer with status 200 and a
/// JSON body, or a boxed [`crate::model::chat::ModelError`].
#[derive(Clone)]
pub struct Transport {
    pub exchange: Exchange,
    pub streaming: Option<Streaming>,
}

impl tower::Service<HttpRequestFactory> for Transport {
    type Response = Response;
    type Error = OpenAIError;
    type Future = BoxFuture<'static, Result<Response, OpenAIError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        let Self { exchange, streaming } = self.clone();
        Box::pin(async move {
            let request = factory.build().await?;
            let body = exchange
                .send(request, streaming.as_ref())
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
